"""The track ``response``: what a best response gains that this package's trainer learns against copies of a policy.

Responses are those of ``training/exploit.py``: one begins with random weights, one with the policy's own, and the best
scripted player is a third. What decides how much they learn is frozen with the version, and does not follow from the
policy, except for the shape of the network that one of them begins with.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.cells import Cell, Figure, figure_of
from bluff_env.benchmark.scores import Samples, response_samples
from bluff_env.benchmark.track import Progress, Track
from bluff_env.benchmark.version import TRAIN, BenchmarkError, Game
from bluff_env.evaluation.duplicates import play_deals
from bluff_env.evaluation.lineup import Lineup
from bluff_env.policies.source import NamedSource
from bluff_env.utils.arguments import whole_number
from bluff_env.utils.errors import printable
from bluff_env.utils.files import parse_json, read_file
from bluff_env.utils.numerals import number

RESPONSE = "response"
SCRIPTED = "scripted"
MAX_FILE = 2**20


class ResponseTrack(Track):
    """A best response in one seat against copies of the policy in all others.

    Args:
        timesteps: of each response; by default those of the version. Anything else is a trial, and no score.

    Raises:
        ValueError: for timesteps that are no whole number of at least 1.
    """

    figures = (RESPONSE, "score")
    about = "how far an opponent can hurt it who trains against it alone, for hours"

    def __init__(self, timesteps: int | None = None) -> None:
        self.timesteps = None if timesteps is None else whole_number("timesteps", timesteps, 1)

    def cells(self, game: Game) -> list[Cell]:
        """Return the one cell of a game, which names the timesteps."""
        return [Cell(game.name, RESPONSE, str(self.timesteps or game.options["timesteps"]))]

    def measure(
        self, cell: Cell, game: Game, agent: Agent, progress: Progress | None = None, out: Path | None = None
    ) -> Figure:
        """Train responses, or resume them, and play the best one on the deals of the track."""
        if out is None:  # without a result, a run is refused before: see check()
            raise BenchmarkError("responses lie beside a result: verify it without --policy")
        folder = self._home(out, game.name)
        policy, response = agent.load(game), self._train(cell, game, agent, folder)
        others = game.num_players - 1
        lineup = Lineup([response, *[policy] * others], ["response", *["policy"] * others], {})
        result = play_deals(lineup, game.spec.rules, game.deals, game.seed, progress=progress)
        return figure_of([result["payoffs"][:, :, 0].mean(axis=1)])

    def _home(self, out: Path, game: str) -> Path:
        """Return the folder of the responses in a game; what a trial has trained is not gone on with in a whole run."""
        return _folder(out) / (game if self.timesteps is None else f"{game}-{self.timesteps}")

    def _train(self, cell: Cell, game: Game, agent: Agent, folder: Path) -> Any:
        """Return the response that gains most, by the deals on which the trainer compares them."""
        from bluff_env.training.exploit import RESULT, exploit
        from bluff_env.training.responses import response_configs

        name = str(agent.source(game).key)
        configs = response_configs(name, game.variant, game.num_players, {}, int(cell.against), game.options["seed"])
        settings: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in game.options["settings"].items()
        }
        folder.parent.mkdir(exist_ok=True)
        changed = {start: replace(config, **settings) for start, config in configs.items()}
        exploit(changed, folder, game.deals, quiet=True, say=lambda line: print(printable(line), file=sys.stderr))
        start = parse_json(read_file(folder / RESULT, MAX_FILE))
        best = start["lower_bound"]["start"]
        return game.spec.load(start[SCRIPTED]["candidate"] if best == SCRIPTED else folder / best / "policy")

    def samples(self, game: Game, half: str, figures: Mapping[str, Figure]) -> Samples:
        """Return what the response gains, and the score, which is as much less than 0."""
        return response_samples(figures[self.cells(game)[0].key], [game.seed])

    def halves(self, game: Game) -> tuple[str, ...]:
        """Return one half: there is no population."""
        return (TRAIN,)

    def cost(self, todo: Sequence[tuple[Game, Cell]], agent: Agent) -> str:
        """Return how much is trained."""
        steps = sum(2 * int(cell.against) for _, cell in todo)
        return f"{number(len(todo), 'game')} with two responses each: {steps / 1e6:,.1f} million timesteps in all."

    def kept(self, name: str, figures: Mapping[str, Figure], out: Path) -> Agent | None:
        """Return None: the policy plays again, against the responses that lie beside the result."""
        from bluff_env.training.exploit import RESULT
        from bluff_env.training.responses import STARTS
        from bluff_env.training.run_folder import POLICY_FILE

        # without one of these files hours of training would begin
        homes = [self._home(out, key.partition("/")[0]) for key in figures]
        files = [home / file for home in homes for file in (RESULT, *(f"{start}/{POLICY_FILE}" for start in STARTS))]
        if not _folder(out).is_dir():
            raise BenchmarkError(f"{_folder(out)} with the trained responses is missing: put it beside {out}")
        for file in files:
            if not file.is_file():
                raise BenchmarkError(f"{file} of the trained responses is missing: put it back, or run the track again")
        return None

    def check(self, agent: Agent, out: Path | None, workers: int) -> None:
        """Refuse what has no name by which the trainer finds it, and a run that could not be resumed."""
        super().check(agent, out, workers)
        if out is None:
            raise BenchmarkError("the track response trains for hours: name a file with out, beside which it is kept")
        for source in agent.sources:
            if not isinstance(source, NamedSource):
                raise BenchmarkError(
                    f"{source.name} cannot be trained against: name a published policy or a checkpoint"
                )


def _folder(out: Path) -> Path:
    """Return the folder of the runs that belong to a result."""
    return Path(f"{out}.runs")
