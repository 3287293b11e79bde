"""Everything that is measured: the sections and their contenders."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import learners, ours, peers
from benchmarks.contender import Contender, Measure, Section
from benchmarks.starting import fresh

OURS = "bluff-env"
GYM_ENVS = 8
BATCH = 1024


def _ours(name: str, make: Callable[[int], Measure], spreads: bool = True, x: float | None = None) -> Contender:
    """A contender of this project."""
    return Contender(name, OURS, make, spreads, x)


PETTINGZOO = tuple(
    Contender(f"PettingZoo {name}", "pettingzoo", peers.pettingzoo(module))
    for name, module in (("leduc_holdem", "leduc_holdem_v4"), ("connect_four", "connect_four_v3"))
)

ENGINE = Section(
    "Engine: random legal play, observation and mask written for every decision",
    (
        _ours("cheat/pagat, 4 players", ours.engine_step("cheat/pagat", 4, BATCH)),
        _ours("cheat/pagat, 2 players", ours.engine_step("cheat/pagat", 2, BATCH)),
        _ours("cheat/pagat, 10 players", ours.engine_step("cheat/pagat", 10, BATCH)),
        _ours("cheat/eightshit, 4 players", ours.engine_step("cheat/eightshit", 4, BATCH)),
        _ours("cheat/british, 4 players", ours.engine_step("cheat/british", 4, BATCH)),
        _ours("bluff-the-bullet, 4 players", ours.engine_step("bluff-the-bullet", 4, BATCH)),
        _ours("cheat/pagat, 4 players, Engine.play_random", ours.engine("cheat/pagat", 4)),
        _ours("the same, compiled as numba does by itself", ours.engine("cheat/pagat", 4, True)),
        _ours("ceiling: the same bytes and random numbers, no game", ours.ceiling(4)),
        *(Contender(f"pgx {name}", "pgx", peers.pgx(name)) for name in ("kuhn_poker", "leduc_holdem")),
        *(
            Contender(f"OpenSpiel {name}", "open_spiel", peers.open_spiel(name))
            for name in ("leduc_poker", "liars_dice", "crazy_eights", "oh_hell")
        ),
        *(Contender(f"RLCard {name}", "rlcard", peers.rlcard(name)) for name in ("leduc-holdem", "uno")),
        *PETTINGZOO,
    ),
    reference="cheat/pagat, 4 players",
    note=f"The rows of this project are calls of Engine.step with {BATCH:,} games, one decision in each, as any policy "
    "plays; the random actions are chosen between the calls. Engine.play_random leaves that out: it makes 100 "
    "decisions in a row in each of 4,096 games and chooses by itself, so a game stays in the processor's cache. The "
    "other batched engines are measured like that too. The games differ in size: kuhn_poker has 3 cards and an "
    "observation of 7 numbers, Cheat 52 cards and hundreds.",
)

AEC = Section(
    "PettingZoo (AEC): whole games in the loop of PettingZoo's documentation",
    (
        _ours("bluff_env pagat, 4 players", ours.aec("pagat", 4), spreads=False),
        _ours("bluff_env pagat, 4 players, raw_env", ours.aec("pagat", 4, raw=True), spreads=False),
        *PETTINGZOO,
        Contender("PettingZoo tictactoe", "pettingzoo", peers.pettingzoo("tictactoe_v3")),
        Contender("PettingZoo texas_holdem", "pettingzoo", peers.pettingzoo("texas_holdem_v4")),
    ),
    reference="bluff_env pagat, 4 players",
    note="All draw random actions from the mask with the same function.",
)

VECTOR = Section(
    "Vector environments: one learner among three random opponents in pagat, the learner's decisions",
    (
        _ours(f"SB3 BatchedVecEnv, {GYM_ENVS} games", ours.sb3_vector("batched", GYM_ENVS)),
        _ours(f"SB3 BatchedVecEnv, {BATCH:,} games", ours.sb3_vector("batched", BATCH)),
        Contender(f"SB3 DummyVecEnv, {GYM_ENVS} games", "stable_baselines3", ours.sb3_vector("dummy", GYM_ENVS)),
        Contender(
            f"SB3 SubprocVecEnv, {GYM_ENVS} games", "stable_baselines3", ours.sb3_vector("subproc", GYM_ENVS), True
        ),
        Contender(f"Gymnasium SyncVectorEnv, {GYM_ENVS} games", "gymnasium", ours.gym_vector("sync", GYM_ENVS)),
        Contender(f"Gymnasium AsyncVectorEnv, {GYM_ENVS} games", "gymnasium", ours.gym_vector("async", GYM_ENVS), True),
    ),
    reference=f"SB3 SubprocVecEnv, {GYM_ENVS} games",
    note="The vector environments of SB3 and Gymnasium run this project's single environment.",
)

TRAINING = Section(
    "Training: the learner's decisions, played and learnt from",
    (
        _ours("self-play PPO, as `make train`", learners.self_play(same_network=False)),
        _ours("self-play PPO, whole observation, all actions", learners.self_play(same_network=True)),
        _ours("MaskablePPO, BatchedVecEnv, 256 games", learners.maskable_ppo("batched", 256, snapshot=True)),
        Contender(
            "MaskablePPO, SubprocVecEnv, 8 games", "sb3_contrib", learners.maskable_ppo("subproc", 8, True), True
        ),
        Contender(
            "MaskablePPO, SubprocVecEnv, 8 games, random opponents",
            "sb3_contrib",
            learners.maskable_ppo("subproc", 8, False),
            True,
        ),
    ),
    reference="MaskablePPO, SubprocVecEnv, 8 games",
    note="The game, hidden layers, minibatch and epochs of configs/cheat-main.yaml; MaskablePPO sees the whole "
    "observation and has all actions. With it other seats are played by a network, as self-play over single-seat "
    "environments needs, where nothing else is said.",
)

START = Section(
    "Starting: seconds from a fresh interpreter",
    (
        _ours("bluff_env: import", fresh("imported", "bluff_env")),
        _ours("bluff_env: import with the engine", fresh("imported", "bluff_env.core.engine")),
        _ours("bluff_env: first decision, nothing compiled", fresh("first_engine_decision", "1", cold=True)),
        _ours(
            "bluff_env: first decision, nothing compiled, as numba compiles by itself",
            fresh("first_engine_decision", "1", "as_numba_does"),
        ),
        _ours("bluff_env: first decision", fresh("first_engine_decision", "1")),
        _ours(
            "bluff_env: first decision, two threads, nothing compiled",
            fresh("first_engine_decision", "2", cold=True),
        ),
        _ours("bluff_env: first decision, two threads", fresh("first_engine_decision", "2")),
        _ours("bluff_env: first AEC decision", fresh("first_aec_decision")),
        Contender("pgx: import", "pgx", fresh("imported", "pgx", package="pgx")),
        Contender(
            "pgx leduc_holdem: first decision", "pgx", fresh("first_pgx_decision", "leduc_holdem", package="pgx")
        ),
        Contender("OpenSpiel: import", "open_spiel", fresh("imported", "pyspiel", package="pyspiel")),
        Contender(
            "OpenSpiel leduc_poker: first decision",
            "open_spiel",
            fresh("first_open_spiel_decision", "leduc_poker", package="pyspiel"),
        ),
        Contender("RLCard: import", "rlcard", fresh("imported", "rlcard", package="rlcard")),
        Contender(
            "RLCard leduc-holdem: first decision",
            "rlcard",
            fresh("first_rlcard_decision", "leduc-holdem", package="rlcard"),
        ),
        Contender(
            "PettingZoo leduc_holdem: import",
            "pettingzoo",
            fresh("imported", "pettingzoo.classic.leduc_holdem_v4", package="pettingzoo.classic.leduc_holdem_v4"),
        ),
    ),
    unit="seconds",
    all_cores=False,
    lower_is_better=True,
)

MEMORY = Section(
    "Memory of a game",
    (
        *(_ours(f"Engine, pagat, {n} players", fresh("engine_bytes", str(n))) for n in (2, 4, 10)),
        Contender("pgx leduc_holdem", "pgx", fresh("pgx_bytes", "leduc_holdem", package="pgx")),
        _ours("PettingZoo view, pagat, 4 players", fresh("object_bytes", "aec", "pagat")),
        Contender(
            "OpenSpiel crazy_eights", "open_spiel", fresh("object_bytes", "pyspiel", "crazy_eights", package="pyspiel")
        ),
        Contender("RLCard uno", "rlcard", fresh("object_bytes", "rlcard", "uno", package="rlcard")),
        Contender(
            "PettingZoo leduc_holdem",
            "pettingzoo",
            fresh("object_bytes", "pettingzoo", "leduc_holdem_v4", package="pettingzoo.classic.leduc_holdem_v4"),
        ),
    ),
    unit="bytes",
    all_cores=False,
    lower_is_better=True,
    note="Of batched engines, the arrays of 65,536 games with observations and masks; of the others, by how much the "
    "process grows.",
)

GAMES = Section(
    "How the cost grows: number of games (cheat/pagat, 4 players)",
    tuple(_ours(f"{4**k:,}", ours.engine_step("cheat/pagat", 4, games=4**k), x=4**k) for k in range(9)),
    note="By calls of Engine.step, each one decision in every game.",
    axis="games",
)
PLAYERS = Section(
    "How the cost grows: players (cheat/pagat, 4,096 games)",
    tuple(_ours(str(n), ours.engine("cheat/pagat", n), x=n) for n in range(2, 11)),
    axis="players",
)
PACKS = Section(
    "How the cost grows: packs (cheat/pagat, 4 players, 4,096 games)",
    tuple(_ours(str(n), ours.engine("cheat/pagat", 4, packs=n), x=n) for n in range(1, 5)),
    axis="packs",
)

SECTIONS = {
    "engine": ENGINE,
    "aec": AEC,
    "vector": VECTOR,
    "training": TRAINING,
    "start": START,
    "memory": MEMORY,
    "games": GAMES,
    "players": PLAYERS,
    "packs": PACKS,
}
