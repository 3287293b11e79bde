"""The view of an environment: observations raw or encoded for networks, whole or trimmed to the rules in use.

The games themselves know only whole, raw observations and the whole list of actions, and so do the policies that
:func:`bluff_env.load_policy` returns. Every environment of this package (PettingZoo, Gymnasium, Stable-Baselines3) and
the engine have a :class:`View` between them and the games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.family import Family
from bluff_env.core.parts import EVENTS, MATCH, OBSERVATION_DTYPE, Part
from bluff_env.core.registry import family_of
from bluff_env.utils.arguments import one_of, truth_value

ENCODINGS = ("raw", "float")
MASKS = ("dict", "info")


class View:
    """The form in which the observations and actions of one game are shown.

    Args:
        rules: resolved.
        num_players: number of players.
        encoding: ``"raw"``, the engine's integers, or ``"float"``, as networks read them: counts divided by their
            scale, and categories as one-hot vectors.
        trim: whether to leave out what these rules cannot use: the parts of the observation that never vary, and the
            actions that are never legal, with any number of players.
        match: whether the game is a match of several deals, whose parts ``match.*`` are shown after all others.
        wide: whether observations are wide (:class:`bluff_env.core.parts.WiderParts`); None: as these rules have them.
        events: whether the log of events is shown, the parts ``event_*``. Without it an observation tells the table as
            it is, and no longer what led to it; networks learn faster from the fewer numbers.

    Attributes:
        encoding: as given.
        trim: as given.
        is_plain: whether observations and actions are those of the games, neither encoded nor with anything left out.
        match: as given.
        events: as given.
        layout: the parts that are shown, by name, each with its slice of the vector. In ``"float"`` a category of
            ``high`` + 1 values takes as many numbers.
        size: numbers of an observation.
        actions: int64 (actions,), the index of each action that is shown in the family's list.
        action_names: their names.
        encoder: what makes floats; None for ``"raw"``.

    Raises:
        ValueError: for a name instead of rules, for an encoding that does not exist, and if ``trim`` or ``events`` is
            not True or False.
    """

    def __init__(
        self,
        rules: Any,
        num_players: int,
        encoding: str = "raw",
        trim: bool = False,
        match: bool = False,
        wide: bool | None = None,
        events: bool = True,
    ) -> None:
        if isinstance(rules, str):
            raise ValueError(f"rules must be resolved: make_rules({rules!r}).resolve({num_players!r})")
        one_of("encoding", encoding, ENCODINGS)
        self.family: Family = family_of(rules)
        self.encoding, self.trim, self.match = encoding, truth_value("trim", trim), match
        self.events = truth_value("events", events)
        self.is_plain = encoding == "raw" and not self.trim and self.events
        parts = self.family.parts
        wide = parts.is_wide(rules) if wide is None else wide
        self._lengths = [parts.observation_size(num_players, kind, wide) for kind in (False, True)]
        game, table = self.family.game, parts.layout(num_players, match, wide)
        used = default_parts(rules) if self.trim else table
        names = [name for name in table if name in used or name.startswith(MATCH)]
        if not self.events:
            names = [name for name in names if not name.startswith(EVENTS)]
        self.actions = np.array(game.possible_actions(rules) if self.trim else range(game.num_actions), np.int64)
        self.action_names: tuple[str, ...] = tuple(game.action_names[action] for action in self.actions)
        self.encoder = Encoder(self.family, num_players, tuple(names)) if encoding == "float" else None
        self.layout: dict[str, Part] = {}
        self.size = 0
        for name in names:
            part = table[name]
            width = part.size * (part.high + 1) if self.is_one_hot(part) else part.size
            self.layout[name] = replace(part, start=self.size, stop=self.size + width)
            self.size += width
        self._columns = np.concatenate([np.arange(table[name].start, table[name].stop) for name in names])

    @property
    def dtype(self) -> type[np.int16 | np.float32]:
        """The type of the numbers of an observation."""
        return OBSERVATION_DTYPE if self.encoding == "raw" else np.float32

    def is_one_hot(self, part: Part) -> bool:
        """Return whether the encoding writes a part as one number for each of its values."""
        return self.encoding == "float" and part.kind == "category"

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the least and the greatest value of each number of an observation: two new arrays (size,), finite.

        They have the type of the observations, int16 or float32.
        """
        high = np.concatenate([np.full(part.size, self._most(part), self.dtype) for part in self.layout.values()])
        return np.zeros_like(high), high

    def _most(self, part: Part) -> float:
        """Return the greatest value of a part as it is shown."""
        if self.encoding == "raw":
            return part.high
        return 1.0 if self.is_one_hot(part) else part.high / part.scale

    def observations(self, raw: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return int16 or float32 (n, size) of whole raw observations (n, observation): ``out``, or a new array.

        A view of single deals leaves the parts of a match out, and one of matches shows zeros in a single deal.
        """
        if self.encoder is not None:
            return self.encoder.encode(raw, out)
        return _chosen(self._fitted(raw), None if self.is_plain else self._columns, out)

    def _fitted(self, raw: np.ndarray) -> np.ndarray:
        """Return observations of matches without ``match.*`` where the view is of single deals, or else with zeros."""
        alone, match = self._lengths
        if not self.match and raw.shape[1] == match:
            return raw[:, :alone]
        if self.match and raw.shape[1] == alone:
            return np.pad(raw, ((0, 0), (0, match - alone)))
        return raw

    def observation(self, raw: np.ndarray) -> np.ndarray:
        """The same for a single observation, (observation,)."""
        return raw if self.is_plain else self.observations(raw[None])[0]

    def masks(self, masks: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return the actions that are shown, (n, actions), of (n, all actions of the family), as ``observations``."""
        return _chosen(masks, self.actions if self.trim else None, out)

    def decode(self, vector: np.ndarray) -> dict[str, np.ndarray | int]:
        """The parts of an observation by name, as integers, each in its own shape; single values as int.

        Raises:
            ValueError: for a vector of another shape.
        """
        if np.shape(vector) != (self.size,):
            raise ValueError(f"an observation vector has shape ({self.size},), not {np.shape(vector)}")
        if not np.isfinite(vector).all():
            raise ValueError("an observation vector has finite numbers only")
        if self.encoding == "raw":
            return parts_of(np.asarray(vector), self.layout)
        decoded: dict[str, np.ndarray | int] = {}
        for name, part in self.layout.items():
            values = np.asarray(vector[part.slice])
            if self.is_one_hot(part):
                values = values.reshape(-1, part.high + 1).argmax(1)
            else:
                values = np.rint(values * part.scale)
            whole = values.astype(OBSERVATION_DTYPE)
            decoded[name] = whole.reshape(part.shape) if part.shape else int(whole[0])
        return decoded


def _chosen(rows: np.ndarray, columns: np.ndarray | None, out: np.ndarray | None) -> np.ndarray:
    """Return these columns of an array, or all of them: ``out``, or a new array."""
    if columns is not None:
        return np.asarray(np.take(rows, columns, axis=1, out=out, mode="clip"))  # "raise" would copy once more
    if out is None:
        return np.array(rows)
    out[:] = rows
    return out


def parts_of(vector: np.ndarray, layout: Mapping[str, Part]) -> dict[str, Any]:
    """The parts of a raw observation by name, each in its own shape; single values as int."""
    return {name: vector[p.slice].reshape(p.shape) if p.shape else int(vector[p.start]) for name, p in layout.items()}
