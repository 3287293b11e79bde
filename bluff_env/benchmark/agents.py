"""The agent of a benchmark: one policy for every game, or several that were each made for some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bluff_env.benchmark.version import BenchmarkError, Game
from bluff_env.core.registry import full_name
from bluff_env.evaluation.deceptions import text_function
from bluff_env.policies.document import SUFFIX
from bluff_env.policies.policy import Policy
from bluff_env.policies.published import find_published
from bluff_env.policies.source import AnySpec, NamedSource, Source, source_of, sources_of
from bluff_env.utils.errors import InputError

PUBLISHED = "published"  # the policy that comes with the package for each game


class Agent:
    """The policies that are measured: in each game the one that was made for it, else the first that can play it.

    Args:
        policies: one or more, as :func:`bluff_env.load_policy` takes them; ``"published"`` stands for the policies
            that come with the package, and a folder for the checkpoints in it.

    Attributes:
        name: for tables.
    """

    def __init__(self, policies: AnySpec | Sequence[AnySpec]) -> None:
        specs: list[Any] = list(policies) if isinstance(policies, (list, tuple)) else [policies]
        if not specs:
            raise BenchmarkError("there is no policy to measure: name one")
        named = sources_of(specs)
        self.name = " + ".join(source.name for source in named)
        self._named = named
        self.sources = sources_of([policy for source in named for policy in _policies_of(source)])
        self._loaded: dict[str, tuple[Source, Policy]] = {}

    def load(self, game: Game) -> Policy:
        """Return the policy that plays a game.

        Raises:
            BenchmarkError: if none of the policies can play it; the sentence says what to do.
        """
        return self._find(game)[1]

    def digest(self, game: Game) -> str | None:
        """Return the SHA-256 of the weights (or of the file) of the policy that plays a game; None if it has none."""
        return self._find(game)[0].digest

    def called(self, game: Game) -> str:
        """Return the name of the policy that plays a game."""
        return self._find(game)[0].name

    def source(self, game: Game) -> Source:
        """Return the source of the policy that plays a game."""
        return self._find(game)[0]

    def answer(self, game: Game) -> Callable[[str], str] | None:
        """Return the function from text to text that plays a game; None for a policy that reads observations."""
        return text_function(self.source(game))

    @property
    def in_text(self) -> str | None:
        """The name of the first policy that answers in text; None if there is none."""
        return next((source.name for source in self.sources if text_function(source) is not None), None)

    def check_all_play(self, chosen: Sequence[Game], games: Sequence[Game]) -> None:
        """Check that every policy that was named has something to play: a result bears all their names.

        Args:
            chosen: the games that are played.
            games: all games of the track. A policy for one that is not chosen does no harm.

        Raises:
            BenchmarkError: for one that can play none of these games, and for one in text that others replace.
        """
        used = {self.source(game).key for game in chosen}
        for named in self._named:
            refusal = "the other policies play them all"
            for source, game in ((self._for_game(s, g), g) for g in games for s in _policies_of(named)):
                if source.key in used:
                    break
                if text_function(source) is None:
                    try:
                        source.load(game.spec.rules, game.num_players)
                        break
                    except InputError as error:
                        refusal = str(error)
            else:
                raise BenchmarkError(f"{named.name} plays none of the track's games: {refusal}; leave it out")

    def _find(self, game: Game) -> tuple[Source, Policy]:
        if game.name not in self._loaded:
            self._loaded[game.name] = self._search(game)
        return self._loaded[game.name]

    def _search(self, game: Game) -> tuple[Source, Policy]:
        refusals = []
        sources = [self._for_game(source, game) for source in self.sources]
        for source in sorted(sources, key=lambda source: not self._is_own(source, game)):
            try:
                return source, source.load(game.spec.rules, game.num_players)
            except InputError as error:
                refusals.append(str(error))
        raise BenchmarkError(
            f"{self.name} cannot play {game.name} ({game.spec.in_words}): {refusals[0]}; name a policy for that game "
            "too, or with --games only games that it can play"
        )

    def _for_game(self, source: Source, game: Game) -> Source:
        """Return the source itself, or for that of all published policies the one of this game."""
        name = f"{full_name(game.variant)}/{game.num_players}p"
        return source_of(name) if source.key == PUBLISHED and find_published(name) else source

    def _is_own(self, source: Source, game: Game) -> bool:
        """Return whether a policy was made for these rules and this number of players."""
        own = source.game(num_players=game.num_players)
        return own is not None and own.rules == game.spec.rules and own.num_players == game.num_players


def _policies_of(source: Source) -> list[Source]:
    """Return the policies of the checkpoints in a folder, if it names one; the folder of a run is refused later."""
    folder = Path(source.name)
    if not isinstance(source, NamedSource) or source.key == PUBLISHED or not folder.is_dir():
        return [source]
    files = sorted(folder.glob(f"*{SUFFIX}"))
    return list(map(source_of, files)) if files and folder / f"policy{SUFFIX}" not in files else [source]
