"""The engine's methods and the scripted players with arguments of all kinds: the long version of two tests.

    python tools/fuzz_engine.py --minutes 5 [--seed 0]

A call is right, or is refused with a ValueError of one line, and then changes nothing. Anything else is a defect:
another exception, a dead interpreter, a game that cannot be played on. With NUMBA_BOUNDSCHECK=1 (as `make fuzz` runs
it) an argument that makes a kernel read outside its arrays is one, too. The scripted players get rows of numbers that
come from no game, most of them within the bounds of their parts. The short versions are in
tests/engine/test_arguments.py and tests/policies/test_scripted_forged.py.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from bluff_env.bullet.family import FAMILY as BULLET
from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.core.engine import MAX_SEED, Engine
from bluff_env.core.family import Family
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names

LONGEST = 1500  # characters of an error
ENGINES: tuple[tuple[Any, int | None, bool], ...] = (
    ("pagat", 3, True), ("mini-pairs", 2, False), ("bluff-the-bullet", 4, True),
    ([("british", 4), ("pagat", 2)], None, False),
)  # fmt: skip

NUMBERS: tuple[Any, ...] = (
    0, 1, 2, 3, 5, -1, -5, 1.7, 18.9, 2.0, float("nan"), float("inf"), True, None, "1", "", b"1", [], [0], {}, 1j,
    2**31, 2**62, 2**63, 2**64, 10**30, -(2**63), np.int64(3), np.uint8(1), np.uint64(2**63), np.float32(1),
    np.bool_(1), np.array(2), np.array([1]), MAX_SEED - 1, object(),
)  # fmt: skip
KINDS = ("i1", "i2", "i4", "i8", "u1", "u8", ">i8", "f4", "f8", "?", "O", "U3", "c8", "M8[s]")


def number(rng: random.Random, high: int) -> Any:
    """Often a number from 0 to ``high`` - 1, else something else."""
    return rng.randrange(high) if rng.random() < 0.6 else rng.choice(NUMBERS)


def numbers(rng: random.Random, size: int, high: int) -> Any:
    """Often ``size`` numbers from 0 to ``high`` - 1; else of another size, shape, type or layout, or no array."""
    length = size if rng.random() < 0.7 else rng.choice((0, 1, size + 1, max(size - 1, 0), 100))
    values: Any = np.array([rng.randrange(high) for _ in range(length)], np.int64)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        values = misshapen(rng, values, high)
    return values


def misshapen(rng: random.Random, values: Any, high: int) -> Any:
    """One change of an array."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or not values.size:
        return rng.choice(NUMBERS)
    kind = rng.randrange(8)
    if kind == 0:
        return values.astype(rng.choice(KINDS)) if values.dtype.kind in "iu" else values
    if kind == 1:
        return np.repeat(values, 2)[::2]
    if kind == 2:
        return values[::-1]
    if kind == 3:
        return values.reshape(1, -1)
    if kind == 4:
        changed = values.tolist()
        changed[rng.randrange(len(changed))] = number(rng, 3 * high)
        return changed
    if kind == 5 and values.dtype.kind == "i":
        changed = values.astype(np.int64)
        changed[rng.randrange(len(changed))] = rng.choice((-1, high, 2**62, -(2**63), 2**31))
        return changed
    if kind == 6:
        values = values.copy()
        values.flags.writeable = False
        return values
    return rng.choice((values.tolist(), tuple(values.tolist()), rng.choice(NUMBERS)))


def where(rng: random.Random, engine: Engine) -> Any:
    """Rows to step or reset."""
    if rng.random() < 0.5:
        return None
    return rng.choice(
        (engine.dones, engine.to_act >= 0, np.zeros(engine.num_games, bool), numbers(rng, engine.num_games, 2),
         np.ones(2 * engine.num_games, bool)[::2], np.ones(engine.num_games + 1, bool))
    )  # fmt: skip


def out(rng: random.Random, engine: Engine, rows: Any) -> Any:
    """An array for observations."""
    if rng.random() < 0.4:
        return None
    shape = (len(rows) if isinstance(rows, np.ndarray) and rows.ndim else 2, engine.observation_size)
    good = np.zeros(shape, np.int16)
    return rng.choice(
        (good, good, good.astype(np.int32), good.astype(">i2"), good.T.copy().T, good[:-1], good[:, :-1],
         engine.observations, engine.observations[: shape[0]], rng.choice(NUMBERS))
    )  # fmt: skip


def a_call(rng: random.Random, engine: Engine) -> Callable[[], Any]:
    """One call of a public method."""
    games = engine.num_games
    some = rng.randrange(1, games + 1)
    kind = rng.randrange(14)
    if kind <= 2:
        legal = np.where(engine.action_masks.any(1), engine.action_masks.argmax(1), 0)
        actions = legal if rng.random() < 0.6 else numbers(rng, games, engine.num_actions)
        rows = where(rng, engine) if engine.autoreset else rng.choice((engine.to_act >= 0, where(rng, engine)))
        return lambda: engine.step(actions, rows)
    if kind == 3:
        rows, seeds = where(rng, engine), rng.choice((None, numbers(rng, games, MAX_SEED)))
        deals: Any = rng.choice((None, None, None, [{}] * games, rng.choice(NUMBERS)))
        seed = rng.choice((None, number(rng, 9)))
        return lambda: engine.reset(rows, seeds, deals, seed=seed)
    if kind <= 6:
        rows, seats = numbers(rng, some, games), numbers(rng, some, 3)
        array = out(rng, engine, rows)
        return lambda: engine.observe(rows, seats, array)
    if kind == 7:
        rows = numbers(rng, some, games)
        return lambda: engine.hidden_features(rows)
    if kind == 8:
        steps: Any = number(rng, 20) if rng.random() < 0.7 else rng.choice((-1, 2**62, 1.0))
        steps = 3 if isinstance(steps, int) and 10**6 < steps < 2**40 else steps
        return lambda: engine.play_random(steps)
    if kind == 9:
        source, target = numbers(rng, some, games), numbers(rng, some, games)
        return lambda: engine.copy(source, target)
    if kind == 10:
        row, since = number(rng, games), number(rng, 50)
        return rng.choice(
            (lambda: engine.snapshot(row), lambda: engine.events(row, since), lambda: engine.rules_of(row))
        )
    if kind == 11:
        rows = where(rng, engine)
        return lambda: engine.results(rows)
    if kind == 12:
        changed = rng.choice((None, "seed", "episodes", "random_steps", "states"))
        saved = engine.save() | ({changed: rng.choice(NUMBERS)} if changed else {})
        return lambda: engine.restore(saved)
    size, players, seed, seats = number(rng, 4), number(rng, 6), number(rng, 9), rng.choice((None, number(rng, 9)))
    size = 2 if isinstance(size, int) and size > 100 else size
    threads, again = number(rng, 3), rng.choice((True, False, True, False, rng.choice(NUMBERS)))
    return lambda: Engine(
        "mini-pairs", size, players, seed, seats=seats, num_threads=threads, autoreset=again
    )  # fmt: skip


def state(engine: Engine) -> bytes:
    """All that a refused call must leave as it was."""
    arrays = (engine.observations, engine.action_masks, engine.to_act, engine.rewards, engine.dones, engine.game_seeds)
    return b"".join([engine._games.tobytes(), engine._episodes.tobytes(), *(a.tobytes() for a in arrays)])


def attempt(engine: Engine, call: Callable[[], Any]) -> str:
    """``right`` or ``refused``; an AssertionError or whatever else was raised is a defect."""
    before = state(engine)
    try:
        call()
    except ValueError as error:
        text = str(error)
        assert 0 < len(text) <= LONGEST and "\n" not in text, f"not one line: {text[:2000]!r}"
        assert state(engine) == before, f"refused, but something has changed: {text}"
        return "refused"
    return "right"


def fuzz(rng: random.Random, calls: int = 10**9, seconds: float = 10**9) -> Counter[str]:
    """Calls by chance on engines of all kinds; returns how many were right and how many were refused."""
    engines = [Engine(variant, 4, players, 1, autoreset=again) for variant, players, again in ENGINES]
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for _ in range(calls):
        engine = rng.choice(engines)
        counts[attempt(engine, a_call(rng, engine))] += 1
        if (engine.to_act < 0).any() and rng.random() < 0.1:
            engine.reset(engine.to_act < 0)
        if time.monotonic() > end:
            break
    return counts


def forged(rng: np.random.Generator, family: Family, seats: int) -> np.ndarray:
    """A row like an observation for ``seats``: each number within the bounds of its part, many at one of them."""
    row = np.zeros(family.parts.observation_size(seats), np.int16)
    for part in family.parts.layout(seats).values():
        numbers = rng.integers(0, part.high + 1, part.size)
        row[part.slice] = rng.choice([numbers, numbers * 0, numbers * 0 + part.high], p=[0.5, 0.3, 0.2])
    row[family.parts.layout(seats)["rules.num_players"].slice] = rng.integers(2, seats + 1)
    if rng.random() < 0.2:
        row[rng.integers(row.size)] = rng.integers(-(2**15), 2**15)
    return row


def fuzz_players(rng: np.random.Generator, rows: int = 10**9, seconds: float = 10**9) -> Counter[str]:
    """Forged observations for scripted players: each is refused, or answered by an action that the mask allows."""
    players = [ScriptedPolicy(name, family) for family in (CHEAT, BULLET) for name in scripted_names(family)]
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for _ in range(rows):
        player = players[rng.integers(len(players))]
        row = forged(rng, player.family, int(rng.integers(2, player.family.most_players + 1)))
        mask = (rng.random(player.family.game.num_actions) < rng.random()).astype(np.int8)
        mask[rng.integers(mask.size)] = 1
        try:
            assert mask[player.act(row, mask, rng=rng)], f"{player} chose what the mask forbids"
            counts["answered"] += 1
        except ValueError as error:
            assert "is not an observation" in str(error), f"refused with another reason: {error}"
            counts["refused"] += 1
        if time.monotonic() > end:
            break
    return counts


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="The engine and the scripted players with arguments of all kinds.")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if not args.minutes >= 0:
        parser.error("--minutes has to be at least 0")
    for what, counts in (
        ("calls of the engine", fuzz(random.Random(args.seed), seconds=45 * args.minutes)),
        ("rows for players", fuzz_players(np.random.default_rng(args.seed), seconds=15 * args.minutes)),
    ):
        print(f"{what}: " + ", ".join(f"{number} {name}" for name, number in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
