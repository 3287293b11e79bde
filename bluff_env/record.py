"""Game records: a game as a text that people and programs read, and that replays to the same end.

from bluff_env import cheat_v0, record

env = cheat_v0.env(variant="pagat")
env.reset(seed=7)
...  # play
record.of(env).save("game.jsonl")
env = record.replay(record.GameRecord.load("game.jsonl"), steps=20)  # the same game after 20 decisions

The text is JSON lines (``docs/records.md``): a header with the rule set, the players and the seed or deal; a line for
each decision with the seat and the name of the action; and an end with the payoffs. Reading a record runs no code and
allocates no more than its size. A broken record is refused with the line and the cause.
"""

from __future__ import annotations

import io
import json
import math
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bluff_env.core.engine import MAX_SEED
from bluff_env.core.family import Family
from bluff_env.core.match_game import MAX_DEALS, MatchGame
from bluff_env.core.payoffs import EQUAL
from bluff_env.core.registry import CUSTOM, FAMILIES, family_of
from bluff_env.drawing import table_svg
from bluff_env.utils.arguments import is_whole, whole_number
from bluff_env.utils.errors import InputError, RulesError, quoted, without_joiners
from bluff_env.utils.files import open_input, parse_json, write_file

if TYPE_CHECKING:
    from bluff_env.core.single_game import SingleGame
    from bluff_env.envs.aec import RawEnv

FORMAT = "bluff_env game record"
VERSION = 1
MAX_LINE = 2**16  # bytes
MAX_SIZE = 2**26
MAX_NAME = 200  # characters of a player's name
FIRST_STEP = 2  # the line of the first decision

_HEADER = {
    "format": str, "version": int, "family": str, "variant": str, "rules": dict, "num_players": int, "seed": int,
    "deal": dict, "note": str, "players": list, "names": list, "deals": int,
}  # fmt: skip
_STEP = {"seat": int, "action": str}
_END = {"end": int, "payoffs": (list, type(None)), "length_limit": bool}


class RecordError(InputError):
    """A broken record, or one that does not replay. One sentence names the line and the cause."""


@dataclass(frozen=True)
class GameRecord:
    """A game, from its deal to its end or to any moment before that.

    Attributes:
        rules: the resolved rules, of any family.
        num_players: number of players.
        seed: the seed of all chance.
        deal: what was forced, as the options of the environments' ``reset``; the seed decides everything else.
        steps: the decisions in their order, as seat and name of the action.
        payoffs: the payoff of each seat, None if the game is not over.
        length_limit: whether the length limit ended the game.
        variant: the preset that the rules come from, or ``"custom"``; for readers only, replaying does not use it.
        note: a sentence about the game, for readers.
        players: who played each seat, a policy or a person; empty if that is not known.
        names: what each seat was called at the table; empty for ``player_0`` and so on.
        deals: the number of deals; the payoffs of a match of several are their sums.
        begun: for each later deal of a match, how many steps were made before it, and its number.
    """

    rules: Any
    num_players: int
    seed: int
    steps: tuple[tuple[int, str], ...]
    payoffs: tuple[float, ...] | None = None
    length_limit: bool = False
    deal: Mapping[str, Any] = field(default_factory=dict)
    variant: str = CUSTOM
    note: str = ""
    players: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    deals: int = 1
    begun: tuple[tuple[int, int], ...] = ()

    @property
    def family(self) -> Family:
        """The family of the rules."""
        return family_of(self.rules)

    def to_text(self) -> str:
        """The record as JSON lines, which :meth:`from_text` reads.

        Raises:
            RecordError: for a note, players or names that it would not read.
        """
        _check_note(self.note)
        _check_names("players", self.players, self.num_players)
        _check_names("names", self.names, self.num_players)
        header = {
            "format": FORMAT,
            "version": VERSION,
            "family": self.family.name,
            "variant": self.variant,
            "rules": self.rules.to_dict(),
            "num_players": self.num_players,
            "seed": int(self.seed),
            "deal": dict(self.deal),
            "note": self.note,
            "players": list(self.players),
            **({"names": list(self.names)} if self.names else {}),
            **({"deals": self.deals} if self.deals > 1 else {}),
        }
        steps: list[dict[str, Any]] = [{"seat": seat, "action": action} for seat, action in self.steps]
        for before, deal in self.begun:
            if before < len(steps):
                steps[before]["deal"] = deal
        payoffs = None if self.payoffs is None else list(self.payoffs)
        end = {"end": len(steps), "payoffs": payoffs, "length_limit": self.length_limit}
        return "".join(json.dumps(line, allow_nan=False) + "\n" for line in (header, *steps, end))

    @staticmethod
    def from_text(text: str) -> GameRecord:
        """Reads what :meth:`to_text` wrote. Only a replay shows whether the moves are legal.

        Raises:
            RecordError: for a broken text.
        """
        if not isinstance(text, str):
            raise RecordError(f"a record is a text, not {quoted(text)}")
        return _parse(io.BytesIO(text.encode("utf-8", "surrogatepass")))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the record to a file, whole or not at all; returns the path."""
        target = Path(path)
        if target.is_dir():
            raise IsADirectoryError(21, "is a folder, not a file to write to", str(target))
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, self.to_text().encode())
        return target

    @staticmethod
    def load(path: str | os.PathLike[str]) -> GameRecord:
        """Reads a file that :meth:`save` wrote.

        Raises:
            RecordError: for a broken record, and for any other file.
            ValueError: for a pipe, which is not waited for, and a device.
        """
        with open_input(path) as file:
            try:
                return _parse(file)
            except RecordError as error:
                raise RecordError(f"{os.fspath(path)}, {error}") from None

    def _repr_svg_(self) -> str | None:
        """The table after the last step, for notebooks: hidden cards included. None if the record does not replay."""
        try:
            game = replay(self)
        except RecordError:
            return None
        return table_svg(self.rules, game.snapshot(), players=self.players)


def of(env: Any) -> GameRecord:
    """The game so far of a PettingZoo environment of this package.

    Raises:
        ValueError: if no game has begun, or if the game was restored from a snapshot, so that its beginning is unknown.
    """
    from bluff_env.envs.aec import RawEnv

    game = getattr(env, "unwrapped", env)
    if not isinstance(game, RawEnv):
        raise ValueError(f"only PettingZoo environments of bluff_env can be recorded, not a {type(game).__name__}")
    if game.game_seed is None:
        raise ValueError("there is no game to record: call reset() first")
    if game.history is None:
        raise ValueError("this game was restored from a snapshot: only a game known from its beginning can be recorded")
    names = game.family.game.action_names
    steps = [(seat, names[action]) for seat, action in game.history]
    return record_of(game.game, steps, game.game_seed, game.deal, game.variant)


def record_of(
    game: SingleGame,
    steps: Iterable[tuple[int, str]],
    seed: int,
    deal: Mapping[str, Any],
    variant: str = CUSTOM,
    players: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
) -> GameRecord:
    """Return a record of a game so far; the other arguments are the fields of :class:`GameRecord`."""
    payoffs, length_limit, made = *_end_of(game), tuple(steps)
    begun = (game.begun or ()) if isinstance(game, MatchGame) else ()
    return GameRecord(
        rules=game.rules,
        num_players=game.num_players,
        seed=seed,
        steps=made,
        payoffs=payoffs,
        length_limit=length_limit,
        deal=_plain(deal),
        variant=variant,
        players=players,
        names=names,
        deals=game.deals,
        begun=tuple((before, deal) for before, deal in begun if before < len(made)),
    )


def walk(record: GameRecord) -> Iterator[RawEnv]:
    """The game before each step and after the last. Every item is the same environment, which moves on.

    Raises:
        RecordError: where a step is impossible, or if the game does not end as the record says.
    """
    from bluff_env.envs.aec import environment_of

    if not isinstance(record, GameRecord):
        raise ValueError(f"a game record is replayed, as GameRecord.load(PATH) reads it, not {quoted(record)}")
    of_match = record.deals if record.deals > 1 else None
    env = environment_of(record.family)(record.rules, record.num_players, deals=of_match)
    env.variant = record.variant
    try:
        env.reset(seed=record.seed, options=dict(record.deal))
    except (ValueError, TypeError) as error:
        raise RecordError(f"line 1: the deal is impossible: {error}") from None
    for number, (seat, action) in enumerate(record.steps, FIRST_STEP):
        yield env
        if env.is_over:
            raise RecordError(f"line {number}: player_{seat} acts, but the game is over")
        _check_deal(record, env, number)
        if env.agent_selection != f"player_{seat}":
            raise RecordError(f"line {number}: player_{seat} acts, but {env.agent_selection} is to act")
        try:
            env.step(env.action_index(action))
        except ValueError as error:
            raise RecordError(f"line {number}: {error}") from None
    _check_end(record, env, FIRST_STEP + len(record.steps))
    yield env


def replay(record: GameRecord, steps: int | None = None) -> RawEnv:
    """An environment that has played the first ``steps`` steps of the game, or all of them.

    Raises:
        RecordError: if a step is impossible or, without ``steps``, if the game does not end as the record says.
        ValueError: if ``steps`` is no whole number, or the record has fewer.
    """
    if steps is not None:
        steps = whole_number("steps", steps, 0, len(record.steps))
    games = islice(walk(record), None if steps is None else steps + 1)
    (env,) = deque(games, maxlen=1)
    return env


def _check_deal(record: GameRecord, env: RawEnv, number: int) -> None:
    """Raises RecordError if another deal of a match begins with this step than the record says."""
    step = number - FIRST_STEP
    there = dict(record.begun).get(step)
    here = dict(env.game.begun or ()).get(step) if isinstance(env.game, MatchGame) else None
    if there != here:
        said = "no deal" if there is None else f"deal {there}"
        raise RecordError(f"line {number}: {said} begins, but here it is {'none' if here is None else f'deal {here}'}")


def _end_of(game: SingleGame) -> tuple[tuple[float, ...] | None, bool]:
    """The payoffs of a game or match, None if it is not over, and whether the length limit ended its last deal."""
    return (tuple(game.scores), bool(game.results()["length_limit"])) if game.is_over else (None, False)


def _check_end(record: GameRecord, env: RawEnv, number: int) -> None:
    """Raises RecordError if the game does not end as the record says."""
    payoffs, length_limit = _end_of(env.game)
    if (payoffs is None) != (record.payoffs is None):
        now, then = ("not over", "over") if payoffs is None else ("over", "not over")
        raise RecordError(f"line {number}: the game is {now} here, but the record says it is {then}")
    if payoffs is None or record.payoffs is None:
        return
    if not all(math.isclose(a, b, abs_tol=EQUAL) for a, b in zip(payoffs, record.payoffs, strict=True)):
        raise RecordError(f"line {number}: the game ends with the payoffs {payoffs}, not {record.payoffs}")
    if length_limit != record.length_limit:
        was = "" if length_limit else "not "
        raise RecordError(f"line {number}: the game was {was}ended by the length limit")


# --- reading ---------------------------------------------------------------------------------------------------------


def _parse(file: IO[bytes]) -> GameRecord:
    """The record in an open file. Raises RecordError."""
    lines = _lines(file)
    _, header = next(lines, (0, None))
    if header is None:
        raise RecordError("line 1: is missing, the text is empty")
    about = _read_header(header)
    names = about["rules"], about["num_players"]
    family, players = family_of(names[0]), names[1]
    steps: list[tuple[int, str]] = []
    begun: list[tuple[int, int]] = []
    number = 1
    for number, line in lines:
        if "end" in line:
            about |= _read_end(line, number, len(steps), players)
            break
        if about["deals"] > 1 and "deal" in line:
            begun.append((len(steps), _read_deal(line.pop("deal"), number, about["deals"])))
        _check_keys(line, _STEP, number)
        if not 0 <= line["seat"] < players:
            raise RecordError(f"line {number}: there is no seat {line['seat']}, only {players} players")
        index = family.game.action_index.get(line["action"])
        if index is None:
            raise RecordError(f"line {number}: no action is called {line['action'][:40]!r}")
        steps.append((line["seat"], family.game.action_names[index]))
    else:
        raise RecordError(f"line {number + 1}: is missing; the record is cut off before its end")
    for number, _ in lines:
        raise RecordError(f"line {number}: comes after the end")
    return GameRecord(steps=tuple(steps), begun=tuple(begun), **about)


def _read_deal(deal: Any, number: int, deals: int) -> int:
    """The number of a deal that begins with a step. Raises RecordError."""
    if not is_whole(deal) or not 2 <= deal <= deals:
        raise RecordError(f"line {number}: its 'deal' is {quoted(deal)}, not a number from 2 to {deals}")
    return int(deal)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file as JSON objects with their numbers. Reads no more than :data:`MAX_SIZE`."""
    size = 0
    for number in count(1):
        line = file.readline(MAX_LINE + 1)
        if not line:
            return
        size += len(line)
        if len(line) > MAX_LINE:
            raise RecordError(f"line {number}: is longer than {MAX_LINE // 2**10} KiB, the most that is read")
        if size > MAX_SIZE:
            raise RecordError(f"line {number}: comes after {MAX_SIZE // 2**20} MiB, the most that is read")
        try:
            value = parse_json(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError:
            raise RecordError(f"line {number}: is not UTF-8") from None
        except ValueError as error:
            raise RecordError(f"line {number}: {error}") from None
        if not isinstance(value, dict):
            raise RecordError(f"line {number}: is not a JSON object")
        yield number, value


def _check_keys(line: Mapping[str, Any], wanted: Mapping[str, Any], number: int) -> None:
    """Raises RecordError unless a line has these keys and no others, with values of these types."""
    for key, kind in wanted.items():
        if key not in line:
            raise RecordError(f"line {number}: has no {key!r}")
        if not isinstance(line[key], kind) or (isinstance(line[key], bool) and kind is not bool):
            raise RecordError(f"line {number}: its {key!r} is {quoted(line[key])}, which has the wrong type")
    for key in line:
        if key not in wanted:
            raise RecordError(f"line {number}: has an unknown key {quoted(key)}")


def _read_header(line: dict[str, Any]) -> dict[str, Any]:
    """The fields of the record that are in the first line."""
    if line.get("format") != FORMAT:
        raise RecordError(f"line 1: is not the beginning of a record: its 'format' must be {FORMAT!r}")
    if line.get("version") != VERSION or isinstance(line.get("version"), bool):
        raise RecordError(f"line 1: has version {quoted(line.get('version'))}; this bluff_env reads version {VERSION}")
    line.setdefault("players", [])  # records of older versions do not name them
    line.setdefault("names", [])
    line.setdefault("deals", 1)
    _check_keys(line, _HEADER, 1)
    if line["family"] not in FAMILIES:
        raise RecordError(f"line 1: its 'family' is {quoted(line['family'])}, not one of: {', '.join(FAMILIES)}")
    family = FAMILIES[line["family"]]
    if line["variant"] != CUSTOM:
        try:
            family.variants.find_variant(line["variant"])
        except RulesError as error:
            raise RecordError(f"line 1: {str(error)[:200]}") from None
    try:
        family.rules.check_field_names(line["rules"])
        earlier = family.rules.before  # what was played before a rule became a field
        rules = family.rules(**{**earlier, **line["rules"]}).resolve(line["num_players"])
    except (RulesError, TypeError, ValueError, OverflowError) as error:
        raise RecordError(f"line 1: the rules are impossible: {str(error)[:300]}") from None
    if not 0 <= line["seed"] < MAX_SEED:
        raise RecordError("line 1: its 'seed' must be from 0 to 2**62 - 1")
    known = family.deal_options
    for option in line["deal"]:
        if option not in known:
            raise RecordError(f"line 1: its 'deal' has an unknown {quoted(option)}; it may have {', '.join(known)}")
    players, names = tuple(line["players"]), tuple(line["names"])
    try:
        _check_note(line["note"])
        _check_names("players", players, line["num_players"])
        _check_names("names", names, line["num_players"])
    except RecordError as error:
        raise RecordError(f"line 1: {error}") from None
    if not 1 <= line["deals"] <= MAX_DEALS:
        raise RecordError(f"line 1: its 'deals' must be from 1 to {MAX_DEALS}")
    kept = ("variant", "num_players", "seed", "deal", "note", "deals")
    return {"rules": rules, "players": players, "names": names, **{key: line[key] for key in kept}}


def _check_note(note: str) -> None:
    """Raise RecordError for a note that cannot stand in a record."""
    if not note.isprintable():
        raise RecordError("its 'note' must be one line of printable text")


def _check_names(key: str, names: Sequence[Any], num_players: int) -> None:
    """Raise RecordError for names, one a seat, that cannot stand in a record; it may have none."""
    for name in names:
        if not isinstance(name, str) or len(name) > MAX_NAME or not without_joiners(name).isprintable():
            raise RecordError(f"its {key!r} must be names of at most {MAX_NAME} printable characters")
    if len(names) not in (0, num_players):
        raise RecordError(f"its {key!r} must be one for each of the {num_players} players, not {len(names)}")


def _read_end(line: dict[str, Any], number: int, steps: int, players: int) -> dict[str, Any]:
    """The fields of the record that are in the last line."""
    _check_keys(line, _END, number)
    if line["end"] != steps:
        raise RecordError(f"line {number}: says that the record has {quoted(line['end'])} steps, but it has {steps}")
    payoffs = line["payoffs"]
    if payoffs is None:
        return {"payoffs": None, "length_limit": line["length_limit"]}
    numbers = [x for x in payoffs if isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < 1e9]
    if len(payoffs) != players or len(numbers) != players:
        raise RecordError(f"line {number}: its 'payoffs' must be one number for each of the {players} players")
    return {"payoffs": tuple(map(float, payoffs)), "length_limit": line["length_limit"]}


def _plain(deal: Mapping[str, Any]) -> dict[str, Any]:
    """A forced deal as values that JSON can hold: lists of names, seats as whole numbers."""
    return {
        name: int(value) if name in ("starter", "dealer") else [_plain_cards(cards) for cards in value]
        for name, value in deal.items()
        if value is not None
    }


def _plain_cards(cards: Any) -> Any:
    """A card's name, or the names of several."""
    return str(cards) if isinstance(cards, str) else [str(card) for card in cards]
