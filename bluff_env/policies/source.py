"""The policy that a user names, and its game: resolved once, to a :class:`Source`.

:func:`source_of` makes one of a name, a path, a policy, a model or a function. Code behind it asks the source
and looks at no name again. Players ``file.py:name`` run a file, so that only a command
line makes sources of them, by :func:`typed_source`: a configuration, a record and a checkpoint never can.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import runpy
import sys
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bluff_env.core.family import Family
from bluff_env.core.registry import DEFAULT_VARIANT, FAMILIES, family_of
from bluff_env.policies.document import SUFFIX, CheckpointError, find_checkpoint, read_document, rules_in, variant_in
from bluff_env.policies.policy import CallablePolicy, Policy, PolicySpec
from bluff_env.policies.published import (
    as_named,
    check_installed,
    find_published,
    game_named,
    published,
    published_at,
    published_file,
)
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names
from bluff_env.utils.errors import InputError, did_you_mean, one_line, quoted

MODELS = "bluff_env.policies.sb3_model"  # which is imported where there is a model


class OwnGame(NamedTuple):
    """The game that a policy was made for.

    Attributes:
        variant: the preset that it comes from, house rules aside; None if it names none.
        rules: resolved for ``num_players``.
        num_players: number of players.
    """

    variant: str | None
    rules: Any
    num_players: int


class Source(ABC):
    """A policy as it was named, which is loaded at most once for the same rules.

    Attributes:
        key: equal for two sources that mean the same: the text, or the identity of an object.
        name: for tables: the text as it was given, or the name of the object.
        path: the file that it was loaded from; None for other policies, and before it is loaded.
    """

    path: Path | None = None

    def __init__(self, key: Hashable, name: str) -> None:
        self.key, self.name = key, name
        self._asked: tuple[Any, int | None] | None = None
        self._policy: Policy | None = None

    @abstractmethod
    def game(self, family: Family | None = None, num_players: int | None = None) -> OwnGame | None:
        """Return the game that the policy was made for, without reading its weights.

        Args:
            family: whose scripted players a name may mean; by default Cheat's.
            num_players: for the name of a game without a number; by default the preset's usual number.

        Returns:
            None for scripted players, functions and policies that do not say, and for names that mean nothing.

        Raises:
            CheckpointError: for a policy whose document is damaged.
        """

    def load(self, rules: Any = None, num_players: int | None = None) -> Policy:
        """Return the policy. Args and errors as for :func:`bluff_env.load_policy`."""
        if self._policy is None or self._asked != (rules, num_players):
            policy = self._load(rules, num_players)
            if rules is not None:
                policy = _fitting(policy, rules, num_players)
            self._policy, self._asked = policy, (rules, num_players)
        return self._policy

    @abstractmethod
    def _load(self, rules: Any, num_players: int | None) -> Any:
        """Return the policy, whether or not it fits the rules."""

    @property
    def must_be_told(self) -> bool:
        """Return whether the policy plays one game alone and does not know which, as a model of SB3 that was loaded."""
        return False

    @property
    def digest(self) -> str | None:
        """The SHA-256 of the weights of the loaded policy, which loading has checked; None if it has none."""
        meta = getattr(self._policy, "meta", None)
        return meta.get("weights_sha256") if isinstance(meta, dict) else None


class NamedSource(Source):
    """The name of a scripted player or of a game (for the published policy that plays it), or a checkpoint's path."""

    def __init__(self, spec: str | os.PathLike[str]) -> None:
        super().__init__(spec if isinstance(spec, str) else Path(spec), str(spec))
        self.spec = spec
        self._networks: dict[tuple[str, Path], Any] = {}

    def game(self, family: Family | None = None, num_players: int | None = None) -> OwnGame | None:
        """Return the game that the checkpoint was trained for; no weights are read."""
        found = None if self._is_scripted(family or _family(None)) else self._find(num_players)
        if found is None:
            return None
        name, path = found
        document = as_named(read_document(path), name)
        own = FAMILIES[document["family"]]
        rules = rules_in(document, own, name)
        return None if rules is None else OwnGame(variant_in(document, own), rules, int(document["num_players"]))

    def _load(self, rules: Any, num_players: int | None) -> Any:
        from bluff_env.policies.checkpoint import load_checkpoint

        family = _family(rules)
        if self._is_scripted(family):
            return ScriptedPolicy(self.name.removeprefix("scripted/"), family)
        found = self._find(num_players)
        if found is None:
            raise CheckpointError(_unknown(self.name, family, num_players))
        if found not in self._networks:
            name, self.path = found
            self._networks[found] = policy = load_checkpoint(self.path)
            policy.name, policy.meta = name, as_named(policy.meta, name)
        return self._networks[found]

    def _is_scripted(self, family: Family) -> bool:
        return is_scripted(self.spec, family)

    def _find(self, num_players: int | None) -> tuple[str, Path] | None:
        """Return the name and the file of a trained policy; None if there is none."""
        name = find_published(self.spec, num_players) if isinstance(self.spec, str) else None
        if name is not None and (path := published_file(name)) is not None:
            return name, path
        found = find_checkpoint(self.spec) or published_at(self.spec)
        return None if found is None else (found.name.removesuffix(SUFFIX), found)


class ObjectSource(Source):
    """A policy, a model of Stable-Baselines3, a function, or an object with the method ``act``.

    Raises:
        ValueError: for anything else.
    """

    def __init__(self, spec: Any) -> None:
        self._object = spec if is_sb3_model(spec) else _policy_of(spec)
        super().__init__(id(spec), str(getattr(self._object, "name", type(spec).__name__)))

    def game(self, family: Family | None = None, num_players: int | None = None) -> OwnGame | None:
        """Return the game that the object says it plays."""
        policy: Any = self._object
        if self.must_be_told:
            return None
        if is_sb3_model(policy):
            policy = self.load()
        rules = getattr(policy, "rules", None)
        return None if rules is None else OwnGame(getattr(policy, "variant", None), rules, policy.num_players)

    @property
    def must_be_told(self) -> bool:
        """Return whether it is a model of SB3 without an environment, which would tell the game."""
        return is_sb3_model(self._object) and self._object.get_env() is None

    def _load(self, rules: Any, num_players: int | None) -> Any:
        model: Any = self._object
        if rules is not None and type(model).__module__ == MODELS:  # a model that was loaded plays one game
            model = model.model
        if not is_sb3_model(model):
            return model
        from bluff_env.policies.sb3_model import model_policy

        return model_policy(model, rules, num_players)


class FileSource(Source):
    """A player ``file.py:name``: a function, an object with ``act`` or ``predict``, or a class of such objects.

    To use it runs the file. Only :func:`typed_source` makes one.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, text)
        self.path = Path(text.rpartition(":")[0])

    @cached_property
    def object(self) -> Any:
        """Return the object of this name; of a class, an instance.

        Raises:
            InputError: if the file cannot be run or has no such name; one sentence says why.
        """
        path, _, name = self.name.rpartition(":")
        try:
            found = self._run(path)
        except InputError:
            raise
        except (Exception, SystemExit) as error:  # whatever it is that the file does wrong
            raise InputError(f"{path} cannot be run: {self._told(error)}") from error
        if name not in found:
            known = [known for known, value in found.items() if callable(value) or hasattr(value, "act")]
            others = did_you_mean(name, known) if known else ", and neither a function nor a class at all"
            raise InputError(f"{path} has no player {quoted(name)}{others}")
        return self._call(found[name]) if isinstance(found[name], type) else found[name]

    def _run(self, path: str) -> Mapping[str, Any]:
        """Return what a file defines."""
        if not Path(path).is_file():
            raise InputError(f"there is no file {quoted(path)}")
        return runpy.run_path(path)

    def game(self, family: Family | None = None, num_players: int | None = None) -> OwnGame | None:
        """Return None: no file is run to find a game."""
        return None

    def _load(self, rules: Any, num_players: int | None) -> Any:
        return self._player

    @cached_property
    def _player(self) -> Any:
        """Return the object as a policy, whose errors name it."""
        player = self.object
        try:
            policy: Any = source_of(player).load()
            policy.name = self.name
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(f"{self.name} is no player: {one_line(error)}") from error
        if isinstance(policy, CallablePolicy):
            policy.function = partial(self._call, policy.function)
        else:
            policy.predict = partial(self._call, partial(_predicted, policy.predict))
        return policy

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what a function of the player returns. Raise InputError for whatever it does wrong, which names it."""
        try:
            return function(*args, **kwargs)
        except (Exception, SystemExit) as error:
            raise InputError(f"{self.name} failed: {self._told(error)}") from error

    def _told(self, error: BaseException) -> str:
        """Return an error in words, with the last line of the file that it went through, if it is in this file."""
        text = f"{type(error).__name__}: {one_line(error)}".removesuffix(": ")
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == self.path]
        return f"{text} ({self.path.name}, line {lines[-1]})" if self.path and lines else text

    @property
    def digest(self) -> str | None:
        """The SHA-256 of the file."""
        return None if self.path is None else hashlib.sha256(self.path.read_bytes()).hexdigest()


class ModuleSource(FileSource):
    """A player ``module:name``, as of :class:`FileSource`: of an installed module, or of one in the current folder.

    To use it imports the module. Only :func:`typed_source` makes one.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.path = None

    def _run(self, path: str) -> Mapping[str, Any]:
        """Return what a module defines."""
        here = os.getcwd()
        sys.path.insert(0, here)  # as `python -m` does; an installed command does not
        try:
            module = importlib.import_module(path)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{path}.".startswith(f"{error.name}."):
                raise
            raise InputError(f"there is no module {quoted(path)}, here or installed") from None
        finally:
            if here in sys.path:  # the module may have changed what stands in front
                sys.path.remove(here)
        if module.__file__ is None:  # what Python makes of any folder
            raise InputError(
                f"{path} is a folder, not a module: write {path}/FILE.py:NAME, the function in a file of it"
            )
        self.path = Path(module.__file__)
        return vars(module)


AnySpec: TypeAlias = PolicySpec | Source


def source_of(spec: AnySpec) -> Source:
    """Return the source of a policy, as :func:`bluff_env.load_policy` takes it. A source is returned as it is.

    Raises:
        ValueError: for a value of another type.
    """
    if isinstance(spec, Source):
        return spec
    return NamedSource(spec) if isinstance(spec, (str, os.PathLike)) else ObjectSource(spec)


def sources_of(specs: Sequence[AnySpec]) -> list[Source]:
    """Return a source for each policy. Those that mean the same are one, which decides for all its seats at once.

    Raises:
        ValueError: for the name of one policy in place of a list.
    """
    if isinstance(specs, str):
        raise ValueError(f"policies={quoted(specs)} must be a list of policies, as [{quoted(specs)}]")
    known: dict[Hashable, Source] = {}
    return [known.setdefault(source.key, source) for source in map(source_of, specs)]


def is_own_player(text: str) -> bool:
    """Return whether a name has the form ``file.py:name``."""
    return text.rpartition(":")[0].endswith(".py")


def typed_source(text: str) -> Source:
    """Return the source of a policy that a user has typed in a command.

    ``file.py:name`` too, which runs the file, and ``module:name``, which imports the module. Nothing that is read from
    a file may come here.
    """
    if is_own_player(text):
        return FileSource(text)
    return ModuleSource(text) if re.fullmatch(r"[A-Za-z_][\w.]+:[A-Za-z_]\w*", text) else source_of(text)


def labels(sources: Sequence[Source], names: Sequence[str]) -> list[str]:
    """Return what to call each source at one table, so that no two different ones are called the same.

    Args:
        sources: loaded; equal ones stand for the same policy, and have one label.
        names: what each would be called alone.

    Returns:
        The names, but of files with one name the shortest ends of their paths that differ (``a/policy`` and
        ``b/policy``); where that is not enough, they are numbered: ``name``, ``name (2)``.
    """
    paths = [_path_of(source) for source in sources]
    keys: list[Hashable] = [  # equal for the same policy, however it was named
        (name, path) if isinstance(source, NamedSource) else source.key
        for source, name, path in zip(sources, names, paths, strict=True)
    ]
    found = dict(zip(keys, names, strict=True))
    parts = {key: () if path is None else path.parts[1:] for key, path in zip(keys, paths, strict=True)}
    for length in range(2, max(map(len, parts.values()), default=0) + 1):
        times = Counter(found.values())
        for key, name in found.items():
            if times[name] > 1 and parts[key]:
                found[key] = "/".join(parts[key][-length:])
    taken: set[str] = set()
    for key, name in found.items():
        number = 1
        while found[key] in taken:
            number += 1
            found[key] = f"{name} ({number})"
        taken.add(found[key])
    return [found[key] for key in keys]


def _path_of(source: Source) -> Path | None:
    """Return the whole path of a checkpoint, without its ending; None for another policy."""
    if source.path is None or not isinstance(source, NamedSource):
        return None
    return Path(os.path.abspath(source.path)).with_suffix("")


def is_scripted(spec: str | os.PathLike[str], family: Family) -> bool:
    """Return whether a name is that of a scripted player of this family."""
    return str(spec).removeprefix("scripted/") in scripted_names(family)


def is_sb3_model(spec: Any) -> bool:
    """Return whether this is a model of Stable-Baselines3, told without importing it."""
    kinds = {(kind.__module__, kind.__name__) for kind in type(spec).__mro__}
    return ("stable_baselines3.common.base_class", "BaseAlgorithm") in kinds


def _predicted(predict: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Return what a policy predicts. Raise TypeError or ValueError unless it is a pair of actions and a state."""
    actions, state = predict(*args, **kwargs)
    return actions, state


def _family(rules: Any) -> Family:
    return family_of(DEFAULT_VARIANT if rules is None else rules)


def _policy_of(spec: Any) -> Any:
    """Return an object as a policy. Raise ValueError if it is none."""
    if hasattr(spec, "predict"):
        return spec
    if callable(act := getattr(spec, "act", None)):
        return CallablePolicy(act, name=type(spec).__name__)
    if callable(spec):
        return CallablePolicy(spec)
    raise ValueError(f"a {type(spec).__name__} is not a policy: give a name, a path, a policy or a function")


def _fitting(policy: Any, rules: Any, num_players: int | None) -> Any:
    """Return a network, or a player in text, as it plays these rules. Raise MisfitError if it cannot."""
    from bluff_env.core.encoding import Encoder
    from bluff_env.policies.fit import check_fit
    from bluff_env.policies.symmetric import SymmetricPolicy

    if not isinstance(getattr(policy, "encoder", None), Encoder):
        return policy.in_game(rules, num_players) if hasattr(policy, "in_game") else policy
    players = policy.encoder.seats if num_players is None else num_players
    made = family_of(rules).variants.make_rules(rules)
    check_fit(policy, made, players)
    return policy.in_game(made.resolve(players), players) if isinstance(policy, SymmetricPolicy) else policy


def _unknown(spec: str, family: Family, num_players: int | None) -> str:
    """Return why there is no policy of this name, as a sentence that says what to do."""
    if is_own_player(spec):
        return (
            f"{quoted(spec)} is code, which runs only where a command plays with it or measures it: in Python give the "
            "function itself; to train from or against it save its network by bluff_env.export_mlp"
        )
    if game := game_named(spec):
        check_installed()
        players = game[1] or num_players
        of = f"{game[0]}/{players}p" if players else game[0]
        return f"there is no published policy {of}; there are: {', '.join(published())}"
    for other in FAMILIES.values():
        if is_scripted(spec, other):
            return f"{quoted(spec)} plays {other.title}, not {family.title}"
    what = f"{quoted(spec)} is neither a scripted player nor a checkpoint"
    is_path = spec.startswith(("/", ".", "~")) or spec.endswith((SUFFIX, ".zip"))
    if is_path and not os.path.exists(spec):  # and no name that was misspelt
        return f"{what}: there is no such file"
    prefix = "scripted/" if "/" in spec else ""  # which may be left out
    known = [*(f"{prefix}{name}" for name in scripted_names(family)), *published()]
    return what + did_you_mean(spec[:100], known)
