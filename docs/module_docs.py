"""The tables in the docstrings of the PettingZoo modules, which are their pages: made of the code.

PettingZoo shows the docstring of a module as the page of its environment, and its tutorial on language models gives it
to the model as the rules. Texts are written by hand; ``make_docs.py`` writes every table anew below its heading.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from types import ModuleType

from markup import table

from bluff_env import bluff_the_bullet_v0, cheat_v0
from bluff_env.bullet.game.actions import Action as BulletAction
from bluff_env.cheat.game.actions import Action as CheatAction

ROOT = Path(__file__).resolve().parent.parent
MODULES = (cheat_v0, bluff_the_bullet_v0)
MOST = 120  # columns of a line; a longer row of a table goes without the meaning of its codes

# What the actions of each kind are called, and what they do.
ACTIONS: dict[type[IntEnum], dict[str, tuple[str, str]]] = {
    CheatAction: {
        "CLAIM": ("claim R", "announce this rank for the play, where there is a choice"),
        "CLAIM_SUIT": ("claim suit S", "announce this suit, where suits are claimed"),
        "PLACE": ("place R", "lay a card of this rank face down: lowest first, jokers last"),
        "PLACE_CARD": ("place RS", "lay this card face down, where suits matter"),
        "COUNT": ("count N", "announce this number of cards, where it may be a lie"),
        "COMMIT": ("commit", "lay no more cards: the play is made"),
        "PASS": ("pass", "play nothing"),
        "TAKE_PILE": ("take pile", "take the pile before the play"),
        "LET": ("let", "let the last play stand"),
        "CALL": ("call", "say that the last play, or the bid, is a lie"),
        "BELIEVE": ("believe", "say that the last play is true"),
        "CHECK": ("check", "look at the last play alone; or turn a called play over whole, where there is a choice"),
        "CALL_PLAYER": ("call +K", "call the latest play of this seat, where older plays may be called"),
        "SET_ASIDE": ("set aside R", "put a full set aside"),
        "BID": ("bid N", "bid so many cards of the highest rank"),
        "WAIT": ("wait", "leave the play to others"),
        "JUMP": ("jump", "play although it is another's turn"),
        "HIDE": ("hide R", "drop a card of the hand into one's lap"),
        "SLIP": ("slip R", "slip a card to another player"),
        "TO": ("to +K", "the seat to which it is slipped"),
        "PEEK": ("peek +K", "peek at a card of this seat"),
        "SWITCH": ("switch R", "take this card of the called play back; `place R` says for which"),
        "KEEP": ("keep", "switch nothing; or, if one is forced, show no card"),
        "SHORT_DEAL": ("short deal N", "as the dealer, deal oneself so many cards too few"),
        "DEAL": ("deal", "deal honestly"),
        "DEMAND_REDEAL": ("demand redeal", "say that the deal was short"),
        "ACCEPT": ("accept", "accept the deal, or a lost call; or turn over as many cards as were announced"),
        "ACCUSE": ("accuse", "accuse the player in turn of a sleight of hand; or force the last one to show a card"),
    },
    BulletAction: {
        "USE": ("use I", "lay the I-th Action Card face down"),
        "ABILITY": ("ability A", "say that it is a crow, a cup or a key"),
        "TARGET_SLOT": ("target +K sJ", "name the J-th Poker Hand card of this seat; twice for a cup"),
        "TARGET_PLAYER": ("target +K", "name the player at whose hand a key looks"),
        "LET": ("let", "let the card be"),
        "CALL": ("call", "say that it is a bluff"),
        "PLAY_BULLET": ("bullet I", "lay the I-th Action Card on it as a bullet"),
        "PICK": ("pick sJ", "choose the card that the loser of a call loses"),
        "ABILITY_BULLET": ("ability bullet", "say that the card laid is a bullet"),
    },
}

# What the arguments of ``env`` are.
ARGUMENTS = {
    "variant": "a preset, or rules of `bluff_env.make_rules`",
    "num_players": "by default the preset's usual number",
    "render_mode": '`"human"` prints the table, `"ansi"` returns text, `"rgb_array"` a picture',
    "pad_turns": "whether every turn takes equally many steps",
    "encoding": '`"raw"`, integers, or `"float"`, float32 as networks read it',
    "trim": "whether parts and actions that these rules cannot use are left out",
    "mask": 'where the mask is: `"dict"`, in the observation, or `"info"`',
    "deals": "the number of deals of a match, with the same players in the same seats",
    "events": "whether observations have the log of events (`event_*`)",
    "house_rules": "changes of the rules by name, such as {rule}",
}
RULES = {"cheat": "`jokers=2`", "bluff-the-bullet": '`responses="in_turn"`'}


def tables(module: ModuleType) -> dict[str, str]:
    """Return the table that stands below each heading of a module's docstring."""
    actions = BulletAction if module is bluff_the_bullet_v0 else CheatAction
    return {
        "At a glance": facts(module),
        "Observation": observation(module),
        "Actions": action_table(module, actions),
        "Arguments": arguments(module),
    }


def facts(module: ModuleType) -> str:
    """The table that begins PettingZoo's pages."""
    env, trimmed = module.raw_env(), module.raw_env(trim=True)
    family, name = env.family, module.__name__.rpartition(".")[2]
    seen, short, floats = (made.view.size for made in (env, trimmed, module.raw_env(encoding="float")))
    rows = [
        ("Import", f"`from bluff_env import {name}`"),
        ("Actions", "discrete, with a mask; a move is one step or several"),
        ("Parallel API", "no; players move in turn"),
        ("Manual control", f"`bluff-env play --variant {env.variant}`"),
        ("Agents", ", ".join(f"`{agent}`" for agent in env.possible_agents)),
        ("Number of agents", f"{len(env.possible_agents)}; 2 to {family.most_players} by `num_players`"),
        (
            "Action space",
            f"`Discrete({len(env.action_names)})`; with `trim=True` `Discrete({len(trimmed.action_names)})`",
        ),
        ("Observation shape", f'`({seen},)`; with `trim=True` `({short},)`; with `encoding="float"` `({floats},)`'),
        ("Observation values", f"whole numbers from 0 to {int(env.view.bounds()[1].max())}"),
        ("Mask", f"int8 `({len(env.action_names)},)`, 1 for each legal action"),
        ("Rewards", f"at the end of the game, from {-env.rules.payoff_limit:g} to {env.rules.payoff_limit:g}"),
    ]
    return table(("", f"`{env.variant}`, {len(env.possible_agents)} players"), rows)


def observation(module: ModuleType) -> str:
    """The parts of an observation for the usual number of players; the parts that tell rules are one row."""
    layout = module.raw_env().view.layout
    rows = [(f"`{p.name}`", str(p.size), f"0 to {p.high}", p.doc) for p in layout.values() if not _tells_rules(p.name)]
    rules = [part for part in layout.values() if _tells_rules(part.name)]
    rows.append(
        (
            "`rules.*`",
            str(sum(p.size for p in rules)),
            f"0 to {max(p.high for p in rules)}",
            "the rules, a part for each",
        )
    )
    return table(("part", "numbers", "values", "what it says"), map(_fitting, rows))


def _tells_rules(name: str) -> bool:
    return name.startswith("rules.")


def _fitting(row: tuple[str, ...]) -> tuple[str, ...]:
    """A row of at most MOST columns; a longer one loses what its codes mean."""
    if len(table((), [row]).splitlines()[-1]) <= MOST:
        return row
    return (*row[:-1], row[-1].partition(": 0 ")[0])


def action_table(module: ModuleType, kinds: type[IntEnum]) -> str:
    """The kinds of actions, with their indices."""
    return table(("index", "action", "what it does"), _action_rows(len(module.raw_env().action_names), kinds))


def _action_rows(num_actions: int, kinds: type[IntEnum]) -> Iterator[tuple[str, str, str]]:
    starts = [*sorted(kinds), num_actions]
    for kind, end in zip(sorted(kinds), starts[1:], strict=True):
        name, meaning = ACTIONS[kinds][kind.name]
        yield (str(int(kind)) if end - kind == 1 else f"{int(kind)} to {end - 1}"), f"`{name}`", meaning


def arguments(module: ModuleType) -> str:
    """The arguments of ``env`` with their defaults."""
    family = module.raw_env.family
    rows = []
    for parameter in inspect.signature(module.env).parameters.values():
        rest = parameter.kind is parameter.VAR_KEYWORD
        meaning = ARGUMENTS[parameter.name].format(rule=RULES[family.name]) if rest else ARGUMENTS[parameter.name]
        default = "" if rest else f"`{parameter.default!r}`".replace("'", '"')
        rows.append((f"`{'**' * rest}{parameter.name}`", default, meaning))
    return table(("argument", "default", "what it is"), rows)


def updated(source: str, module: ModuleType) -> str:
    """Return the source of a module with the tables of its docstring up to date.

    Raises:
        ValueError: if a heading is missing, or no table stands below it.
    """
    lines = source.splitlines()
    for heading, text in tables(module).items():
        begin = next((i for i, line in enumerate(lines) if line == f"## {heading}"), None)
        if begin is None:
            raise ValueError(f"{module.__name__} has lost its heading {heading!r}")
        first = next((i for i in range(begin, len(lines)) if lines[i].startswith("|")), None)
        if first is None:
            raise ValueError(f"{module.__name__} has no table below {heading!r}")
        last = next(i for i in range(first, len(lines)) if not lines[i].startswith("|"))
        lines[first:last] = text.splitlines()
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Return the sources of the modules with their tables up to date, by path."""
    paths = {module: f"{module.__name__.replace('.', '/')}.py" for module in MODULES}
    return {path: updated((ROOT / path).read_text(encoding="utf-8"), module) for module, path in paths.items()}
