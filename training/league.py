"""A league: a population that grows by best responses, in one file that reads from top to bottom.

    python -m training.league configs/league.yaml --rounds 4 --out runs/league
    python -m training.league configs/cheat-league.yaml --from checkpoints/bluff-1/cheat-chinese-3p --out runs/chinese-3

    1. settings          the table `league` of a configuration file
    2. the meta-game     what members gain from one another, and the weights that a meta-solver gives them
    3. what is trained   the main policy, and responses to the mixture of all members
    4. the league        rounds, and the figures of each

Every policy has an answer, and a policy that was trained against one answer has another. So a league goes on: in each
round a best response to the present mixture is trained, and joins if it gains for certain on fresh deals; then the main
policy goes on against the mixture with the response in it, and against itself, and what it has become joins too. This
is the policy-space response oracle (PSRO; Lanctot et al., arXiv 1711.00832) with a main policy, as the league of
AlphaStar has one (Vinyals et al., Nature 575, 2019). All training is by `selfplay_ppo.py`, in runs within the folder of
the league, so whatever ends it, the same command resumes it and comes to the same weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bluff_env.core.registry import make_rules
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.evaluation.games import own_game
from bluff_env.policies import load_policy, save_checkpoint
from bluff_env.policies.document import is_checkpoint, read_document
from bluff_env.policies.held_out import mark_of
from bluff_env.policies.mixture import MAX_MEMBERS, MixturePolicy, without_critic
from bluff_env.policies.source import source_of
from bluff_env.policies.symmetric import SymmetricPolicy
from bluff_env.utils.errors import did_you_mean, printable, quoted
from bluff_env.utils.extras import missing_library
from bluff_env.utils.files import parse_json, read_file, write_json_file
from bluff_env.utils.locks import held
from bluff_env.utils.numerals import signed
from bluff_env.utils.provenance import command, commit
from bluff_env.utils.signals import stopped_code

from .command_line import begin_with, check_trained, exit_code, run_script
from .config import Config, ConfigError, check_choice, config_from, number_in, read_table
from .exploit import best_scripted
from .learner import start_of
from .pool import EVEN_SHARE
from .responses import LEARNING, response_to
from .run_folder import LENGTH, POLICY_FILE, check_links, check_strangers, first_change, plain
from .selfplay_ppo import train
from .stopping import Stopped

console = Console(markup=False, soft_wrap=True)

FIGURES = "curves/league.json"
MIXTURE = "mixture.safetensors"  # of all members after the last round
OWN_FILES = ("curves", "mixtures", MIXTURE, "main-*", "response-*", ".*")
MOST_FIGURES = 2**26  # bytes
MOST_BYTES = 1_900_000  # of the networks in a mixture, whose file is to stay below 2 MB
LEAST_WEIGHT = 1e-3  # a solver comes near an equilibrium and not into it; a member with less than this has no part
ITERATIONS = 10_000  # of regret matching; half a second

# --- 1. settings -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """The table `league` of a configuration; its other keys are those of any run.

    ``total_timesteps`` is what the main policy is trained with in each round, and before the first one unless
    ``start_from`` names a policy to begin with.
    """

    meta_solver: str = "nash"  # who is how probable in the mixture: see SOLVERS
    response_timesteps: int = 4_000_000  # of each response
    response_start: str = "last"  # the last response that joined, at first the main policy; or "taught"
    # of the mixture in the main policy's pool, beside all players of `scripted`; then `priority` weighs
    mixture_share: float = 0.5
    deals: int = 500  # of each evaluation of one policy against another


STARTS = ("last", "taught")
BOUNDS: dict[str, tuple[float, float]] = {
    "response_timesteps": (1, 10**12), "mixture_share": (0.01, 0.99), "deals": (2, 10**5),
}  # fmt: skip


def load_league(path: Path, seed: int | None = None, start: str | None = None) -> tuple[Config, Settings]:
    """Reads a configuration with a table `league`.

    Args:
        path: the file.
        seed: in place of its seed.
        start: a trained policy, in place of `start_from`; it brings its game and needs no teacher.

    Raises:
        ConfigError: for anything that cannot be run; the message names the file and the key, or the policy.
        CheckpointError: for a policy to begin with that is none.
    """
    table = read_table(path)
    own = table.pop("league", {})
    if start is not None:
        check_trained(start)
        policy = load_policy(start)  # if there is none, this says so
        if source_of(start).game() is None:
            raise ConfigError(f"--from {start}: a league plays one game; name a policy that was trained for one")
        if isinstance(policy, SymmetricPolicy):
            raise ConfigError(f"--from {start}: it plays under drawn names, and a league mixes policies without them")
        table |= {**own_game(start).settings(), "start_from": "", "kickstart": ""}
    config = config_from({**table, **({} if seed is None else {"seed": seed})}, str(path))
    if start is not None:
        config = begin_with(start, config)
    if config.games:
        raise ConfigError(f"{path}: a league needs a configuration of one game, without games")
    if config.symmetric:
        raise ConfigError(f"{path}: policies with drawn names cannot be mixed, so a league needs symmetric: false")
    settings = settings_from(own, f"{path}: league")
    if config.deals > 1 and settings.response_start == "taught":
        raise ConfigError(
            f"{path}: league: response_start=taught begins with networks that read nothing of matches, and networks of "
            "one form can be mixed: name response_start=last"
        )
    if config.start_from and settings.response_start == "taught":
        raise ConfigError(
            f"{path}: league: response_start=taught begins with other networks than start_from, and networks of one "
            "form can be mixed: name response_start=last"
        )
    return config, settings


def settings_from(own: Any, source: str) -> Settings:
    """Checks keys, types and bounds. Raises ConfigError."""
    if not isinstance(own, dict):
        raise ConfigError(f"{source} must be a table of keys and values")
    known, own = asdict(Settings()), dict(own)
    for key, value in own.items():
        if key not in known:
            raise ConfigError(f"{source} has the unknown key {quoted(key)}{did_you_mean(str(key)[:100], list(known))}")
        if key in BOUNDS:
            low, high = BOUNDS[key]
            value = own[key] = number_in(value) if isinstance(value, str) else value
            number, types = ("whole number", (int,)) if type(known[key]) is int else ("number", (int, float))
            if type(value) not in types or not low <= value <= high:
                raise ConfigError(f"{source}: {key}={quoted(value)} must be a {number} from {low} to {high}")
        else:
            check_choice(source, key, value, SOLVERS if key == "meta_solver" else STARTS)
    settings = Settings(**{**known, **own})
    if settings.meta_solver == "nash" and find_spec("pyspiel") is None:
        others = ", ".join(sorted(set(SOLVERS) - {"nash"}))
        raise ConfigError(f"{source}: meta_solver=nash: {missing_library('pyspiel')}; or name one of: {others}")
    return settings


# --- 2. the meta-game ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MetaGame:
    """The gains of members from one another: of one copy of the row's member among copies of the column's member.

    Attributes:
        payoffs: float64 (members, members), the mean payoff; 0 among copies of its own.
        shares: float64 (members, members), the win share; 1/N there.
        main: the index of the main policy as it is now.
    """

    payoffs: np.ndarray
    shares: np.ndarray
    main: int


def uniform(game: MetaGame, priority: float) -> np.ndarray:
    """All members alike, as in fictitious play."""
    return np.full(len(game.payoffs), 1 / len(game.payoffs))


def prioritised(game: MetaGame, priority: float) -> np.ndarray:
    """By what each wins against the main policy, to the power of ``priority``; a share goes to all alike, as in a pool.

    So AlphaStar draws opponents, for whom the main policy has no answer yet.
    """
    gains = game.shares[:, game.main] ** priority
    even = uniform(game, priority)
    return (1 - EVEN_SHARE) * gains / gains.sum() + EVEN_SHARE * even if gains.sum() > 0 else even


def nash(game: MetaGame, priority: float) -> np.ndarray:
    """The symmetric equilibrium of the meta-game that OpenSpiel's regret matching finds.

    With two players the payoffs add up to 0, and no mixture of the members gains anything from this one. With more
    players the game is that of pairs: one copy among copies.
    """
    if len(game.payoffs) == 1:
        return np.ones(1)
    from open_spiel.python.algorithms.regret_matching import regret_matching

    payoffs = game.payoffs
    row, column = regret_matching([payoffs, payoffs.T], iterations=ITERATIONS)
    weights = (row + column) / 2  # both players have the same part, but for rounding
    weights[weights < LEAST_WEIGHT] = 0
    found: np.ndarray = weights / weights.sum()
    return found


Solver = Callable[[MetaGame, float], np.ndarray]
SOLVERS: dict[str, Solver] = {"uniform": uniform, "prioritised": prioritised, "nash": nash}


# --- 3. what is trained ----------------------------------------------------------------------------------------------


def main_config(config: Config, settings: Settings, number: int, before: Path, mixture: Path) -> Config:
    """The configuration with which the main policy goes on.

    The pool holds the mixture several times, to come as near to ``mixture_share`` as whole numbers allow.

    Args:
        config, settings: of the league.
        number: of the round.
        before: the main policy so far, with which it begins.
        mixture: its opponent besides itself.
    """
    share = settings.mixture_share
    times = max(1, round(len(config.scripted) * share / (1 - share)))
    opponents = (*config.scripted, *[str(mixture)] * times)
    seed = config.seed + 2 * number
    return replace(config, seed=seed, start_from=str(before), kickstart="", scripted=opponents)


def response_config(config: Config, settings: Settings, number: int, before: Path | None, mixture: Path) -> Config:
    """The configuration of a response to a mixture.

    Args:
        config, settings: of the league.
        number: of the round.
        before: the policy with which it begins; None for random weights, and the scripted player as a teacher that
            gains most against the mixture.
        mixture: what it is a response to.
    """
    keys = {key: value for key, value in asdict(config).items() if key in LEARNING}
    game = {"variant": config.variant, "rules": config.rules, "num_players": config.num_players}
    seed = config.seed + 2 * number - 1
    response = response_to(str(mixture), {**keys, **game, "seed": seed, LENGTH: settings.response_timesteps})
    as_configured = ("num_threads", "device", "workers", "save_every", "benchmark_halves")
    response = replace(response, **{key: getattr(config, key) for key in as_configured})
    if before is not None:
        return replace(response, start_from=str(before))
    return replace(response, kickstart=best_scripted(response, max(2, settings.deals // 10), 10_000 + seed))


# --- 4. the league ---------------------------------------------------------------------------------------------------


@dataclass
class League:
    """A league in its folder.

    Attributes:
        config, settings, out, quiet: as for :func:`run_league`.
        members: the names of all that have joined, in this order; the folder has a run of each name.
        measured: figures of one policy against another, by ``"NAME against NAME"``. They are kept, because they are the
            only thing that takes long besides the runs.
        rounds: the figures of each finished round.
        earlier: the same, as they were when the league was resumed.
    """

    config: Config
    settings: Settings
    out: Path
    quiet: bool = False
    members: list[str] = field(default_factory=list)
    measured: dict[str, dict[str, Any]] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)

    # files

    def policy(self, name: str) -> Path:
        """Return the file of a policy: of a run, or of a mixture."""
        file = f"{name}/{POLICY_FILE}" if name.startswith(("main", "response")) else f"mixtures/{name}.safetensors"
        return (self.out / file).resolve()

    def about(self) -> dict[str, Any]:
        """Return what has to be equal for the league to be resumed."""
        return {"config": plain(self.config) | {"device": None}, "league": asdict(self.settings)}

    def save(self) -> None:
        """Writes the figures, whole or not at all."""
        made = {"command": command(), "commit": commit()}
        # the figures of rounds that are gone through again stand there meanwhile
        rounds = self.rounds + self.earlier[len(self.rounds) :]
        kept = {"members": self.members, "rounds": rounds, "measured": self.measured}
        (self.out / FIGURES).parent.mkdir(parents=True, exist_ok=True)
        write_json_file(self.out / FIGURES, {**self.about(), **made, **kept})

    def resume(self) -> None:
        """Reads what was measured before, if anything was. All else follows again from the runs.

        Raises:
            ConfigError: for figures that are damaged, or of another league.
        """
        path, first = self.out / FIGURES, self.policy("mixture-1")
        if not path.exists():
            if is_checkpoint(first):  # the first response was trained against it
                self._check_same({"league": read_document(first).get("league", {})})
            return
        try:
            saved = parse_json(read_file(path, MOST_FIGURES))
            before = {key: dict(saved[key]) for key in self.about()}
            measured = {str(pair): checked(figures) for pair, figures in saved["measured"].items()}
            self.earlier = list(saved["rounds"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ConfigError(f"{path} is damaged: delete it, and all is measured anew") from None
        self._check_same(before)
        self.measured = measured

    def _check_same(self, before: dict[str, Any]) -> None:
        """Raise ConfigError if a league of these settings, a part of :meth:`about`, is not this one."""
        for table, here in self.about().items():
            if differs := first_change(before.get(table, here), here):
                other = f"{self.out} holds a league of another configuration ({differs})"
                raise ConfigError(f"{other}: choose another --out, or delete it")

    # figures

    def measure(self, one: str, other: str, number: int) -> dict[str, Any]:
        """Return what one copy of a policy gains at a table of copies of another, on deals of a round of their own."""
        pair = f"{one} against {other}"
        if pair not in self.measured:
            config = self.config
            rules = make_rules(config.variant, **config.rules)
            seed = 10_000 * (number + 1) + config.seed
            result = evaluate(
                self.policy(one), self.policy(other), rules, config.num_players, self.settings.deals, seed
            ).to_dict()
            self.measured[pair] = {name: result[name] for name in ("payoff", "win_share")}
            self.save()
        return self.measured[pair]

    def join(self, name: str, number: int) -> None:
        """Makes a policy a member, and measures it against all others."""
        for other in self.members:
            # two players share one payoff, so one direction is enough
            if self.config.num_players > 2 or f"{other} against {name}" not in self.measured:
                self.measure(name, other, number)
            if self.config.num_players > 2:
                self.measure(other, name, number)
        self.members.append(name)

    def meta_game(self) -> MetaGame:
        """Return what the members gain from one another."""
        n, members = self.config.num_players, self.members
        payoffs, shares = np.zeros((len(members),) * 2), np.full((len(members),) * 2, 1 / n)
        for i, one in enumerate(members):
            for j, other in enumerate(members):
                if figures := self.measured.get(f"{one} against {other}"):
                    payoffs[i, j], shares[i, j] = figures["payoff"]["value"], figures["win_share"]["value"]
                    if n == 2:
                        payoffs[j, i], shares[j, i] = -payoffs[i, j], 1 - shares[i, j]
        return MetaGame(payoffs, shares, max(i for i, name in enumerate(members) if name.startswith("main")))

    def weights(self) -> dict[str, float]:
        """Return the weight of each member that has a part in the mixture, as the meta-solver says."""
        weights = SOLVERS[self.settings.meta_solver](self.meta_game(), self.config.priority)
        return {name: float(w) for name, w in zip(self.members, weights, strict=True) if w > 0}

    def room(self) -> int:
        """Return how many networks fit into a small file."""
        newest: Any = load_policy(self.policy(self.main))
        size = sum(array.nbytes for name, array in newest.arrays().items() if name.startswith("actor."))
        return min(MAX_MEMBERS, max(1, MOST_BYTES // size))

    def mix(self, path: Path, room: int = MAX_MEMBERS) -> dict[str, float]:
        """Writes the mixture of the members as one policy. Without room for all it has the heaviest, then the newest.

        Returns:
            The weights of those that are in it.
        """
        if not is_checkpoint(path):
            path.unlink(missing_ok=True)  # a damaged one is made anew
        weights = self.weights()
        newest: Any = load_policy(self.policy(self.main))
        from_newest = list(reversed(weights))
        heaviest = sorted(from_newest, key=lambda name: -weights[name])[:room]
        names = [name for name in weights if name in heaviest]
        total = sum(weights[name] for name in names)
        shares = [weights[name] / total for name in names]
        loaded: list[Any] = [load_policy(self.policy(name)) for name in names]
        policies = [without_critic(policy) for policy in loaded]
        for policy, name in zip(policies, names, strict=True):
            policy.name = name
        game = {key: newest.meta[key] for key in ("variant", "rules", "num_players")}
        made = {"league": asdict(self.settings), "command": command(), "commit": commit()}
        meta = {**game, **mark_of(loaded), **made}
        save_checkpoint(path, MixturePolicy(policies, shares), meta)
        return dict(zip(names, shares, strict=True))

    @property
    def main(self) -> str:
        """The name of the main policy as it is now."""
        return next(name for name in reversed(self.members) if name.startswith("main"))

    # a round

    def begin(self) -> None:
        """Trains the main policy for the first time, unless the league starts from a policy: then it is that one."""
        start = self.config.start_from
        self.save()  # before anything is trained, so that no other league goes on with it
        self.say(f"main-0: {start or 'the main policy, before the first round'}")
        if not start:
            train(self.config, self.out / "main-0", self.quiet)
        elif not self.policy("main-0").exists():
            policy = start_of(self.config)
            save_checkpoint(self.policy("main-0"), policy, policy.meta)
        self.join("main-0", 0)

    def round(self, number: int) -> dict[str, Any]:
        """Trains a response and then the main policy. Returns the figures of the round."""
        config, settings = self.config, self.settings
        # a response to the present mixture, which joins if it gains for certain
        mixture, response, main = f"mixture-{number}", f"response-{number}", self.main
        weights = self.mix(self.policy(mixture))
        self.say(f"{response}: a best response to the mixture of {words(weights)}")
        earlier = [name for name in self.members if name.startswith("response")] or [main]
        start = self.policy(earlier[-1]) if settings.response_start == "last" else None
        learns = response_config(config, settings, number, start, self.policy(mixture))
        train(learns, self.out / response, self.quiet)
        gain, before = self.measure(response, mixture, number), self.measure(response, main, number)
        joined = gains(gain)
        self.say(f"  it gains {in_words(gain)} from the mixture, and {'joins' if joined else 'does not join'}")
        if joined:
            self.join(response, number)

        # the main policy goes on, against the mixture with the response in it and against itself
        faced, now = f"faced-{number}", f"main-{number}"
        faced_weights = self.mix(self.policy(faced))
        self.say(f"{now}: the main policy goes on, against itself and {words(faced_weights)}")
        goes_on = main_config(config, settings, number, self.policy(main), self.policy(faced))
        train(goes_on, self.out / now, self.quiet)
        after = self.measure(response, now, number)
        self.join(now, number)
        self.say(f"  the response gains {in_words(after)} from it, and gained {in_words(before)} from {main}")
        runs = number + (not config.start_from)  # of the main policy
        timesteps = runs * config.rounds * config.round_size + number * settings.response_timesteps
        return {
            "round": number, "timesteps": timesteps, "mixture": weights, "response_gains_from_mixture": gain,
            "response_joined": joined, "response_gains_from_main_before": before,
            "faced": faced_weights, "response_gains_from_main_after": after,
        }  # fmt: skip

    def say(self, sentence: str) -> None:
        """Prints a sentence, which may name files."""
        console.print(printable(sentence))


def gains(figures: dict[str, Any]) -> bool:
    """Return whether the payoff is above 0 for certain: the lower end of its interval is."""
    return bool(figures["payoff"]["low"] > 0)


def checked(figures: Any) -> dict[str, Any]:
    """Return the figures of a pair as they were saved. Raises ValueError, KeyError or TypeError for anything else."""
    return {name: {k: float(figures[name][k]) for k in ("value", "low", "high")} for name in ("payoff", "win_share")}


def words(weights: dict[str, float]) -> str:
    """Return the weights of a mixture in words."""
    return ", ".join(f"{name} {weight:.0%}" for name, weight in weights.items())


def in_words(figures: dict[str, Any]) -> str:
    """Return a payoff and a win share in words."""
    payoff, share = figures["payoff"], figures["win_share"]
    low, high = (signed(payoff[end], 3) for end in ("low", "high"))
    return f"{signed(payoff['value'], 3)} [{low}, {high}] (win share {share['value']:.3f})"


def run_league(config: Config, settings: Settings, rounds: int, out: Path, quiet: bool = False) -> Path:
    """Plays a league, or resumes the one in the folder ``out``, up to this number of rounds.

    It writes a folder for each run (``main-0``, ``response-1``, ``main-1``, ...), ``curves/league.json`` with the
    figures of each round, and ``mixture.safetensors``.

    Args:
        config, settings: as :func:`load_league` returns them.
        rounds: in all.
        out: folder of the league.
        quiet: whether progress bars are left out.

    Returns:
        The mixture of all members after the last round.

    Raises:
        ConfigError: if ``out`` holds something else, or a league of another configuration.
        InputError: if another process plays a league in it.
        Stopped, OSError, DivergedError: as :func:`training.selfplay_ppo.train` does.
    """
    if rounds < 1:
        raise ConfigError(f"rounds={rounds} must be at least 1")
    check_league_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    league = League(config, settings, out, quiet)
    with held(out):
        league.resume()
        if rounds < len(league.earlier):
            raise ConfigError(
                f"{out} holds a league of {len(league.earlier)} rounds: name as many with --rounds, or more"
            )
        league.begin()
        for number in range(1, rounds + 1):
            league.rounds.append(league.round(number))
            league.save()
        weights = league.mix(out / MIXTURE, league.room())
    league.say(f"{out / MIXTURE}: {words(weights)}; figures: {out / FIGURES}")
    return out / MIXTURE


def check_league_folder(out: Path) -> None:
    """Checks that a folder is new or empty, or holds a league. Raises ConfigError."""
    check_strangers(out, OWN_FILES)
    for folder in ("curves", "mixtures"):
        check_links(out / folder, ("*",))


def main(argv: list[str] | None = None) -> int:
    """Parses the options and plays a league. Returns the exit code, as :func:`exit_code` says."""
    parser = argparse.ArgumentParser(description="Train a population that grows by best responses.")
    parser.add_argument("config", type=Path, help="a YAML file with a table `league`, as configs/league.yaml")
    parser.add_argument("--rounds", type=int, default=4, help="in all (default: 4); a league can be extended")
    parser.add_argument("--out", type=Path, help="folder of the league (default: runs/NAME), which is resumed")
    parser.add_argument("--seed", type=int, help="replaces the seed of the configuration")
    parser.add_argument("--from", dest="start", metavar="POLICY", help="begin with a trained policy, in its game")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    args = parser.parse_args(argv)
    out = args.out or Path("runs") / args.config.stem

    def work() -> None:
        try:
            run_league(*load_league(args.config, args.seed, args.start), args.rounds, out, args.quiet)
        except KeyboardInterrupt as stop:
            code = getattr(stop, "code", stopped_code())
            raise Stopped(
                code - 128, f"{str(stop) or 'stopped'}; the same command resumes the league in {out}"
            ) from None

    return exit_code(work)


if __name__ == "__main__":
    run_script(main)
