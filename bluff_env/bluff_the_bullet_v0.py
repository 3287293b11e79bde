"""# Bluff the Bullet

Poker hands, bluffed abilities and bullets, as a PettingZoo (AEC) environment.

## At a glance

|  | `bluff-the-bullet`, 4 players |
| --- | --- |
| Import | `from bluff_env import bluff_the_bullet_v0` |
| Actions | discrete, with a mask; a move is one step or several |
| Parallel API | no; players move in turn |
| Manual control | `bluff-env play --variant bluff-the-bullet` |
| Agents | `player_0`, `player_1`, `player_2`, `player_3` |
| Number of agents | 4; 2 to 5 by `num_players` |
| Action space | `Discrete(44)`; with `trim=True` `Discrete(43)` |
| Observation shape | `(389,)`; with `trim=True` `(386,)`; with `encoding="float"` `(2278,)` |
| Observation values | whole numbers from 0 to 32767 |
| Mask | int8 `(44,)`, 1 for each legal action |
| Rewards | at the end of the game, from -1 to 1 |

## The game

Who has the best Poker Hand when the game ends wins. 4 players use the cards 1 to 6 of crow, cup, key and bullet, two
copies of each, and Fin, which lies among the last 11 cards of the deck. A Poker Hand has three cards face up and two
face down, which only their owner may look at. On a turn a player draws until they hold two Action Cards, lays one of
them face down, says which ability it has, and names its target. What is said may be a lie.

* A crow takes the place, face up, of any Poker Hand card, which is discarded.
* A cup swaps any two Poker Hand cards.
* A key lets its player look at all Poker Hand cards of another player.
* A bullet does nothing in one's own turn.

All the others answer, and nobody sees what the others answer: they let the card be, call it a bluff, or lay an Action
Card on it as a bullet, which cancels it and may be a lie as well. One of those who call or lay a bullet is drawn by
lot, and only this answer counts. A card that is called is turned over. If it was a lie it has no effect, and its player
loses a Poker Hand card that the caller chooses. If it was true it works, and the caller loses a card that the accused
player chooses. Lost cards are replaced face down.

A player who draws Fin ends the game. Hands count by values only: five of a kind, four of a kind, a full house, three of
a kind, two pairs, a pair, the highest card; between equal ones the value that occurs most often decides.

`bluff-env describe bluff-the-bullet` tells the rules in full; `env.unwrapped.observe_text(agent)` tells in words what a
player knows. `docs/generated/bullet.md` ends with the game card: sizes, length, branching and strength.

## Usage

    from bluff_env import bluff_the_bullet_v0

    env = bluff_the_bullet_v0.env(num_players=4, render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

## Observation

An observation is `{"observation": vector, "action_mask": mask}`. The vector is what this player knows, in the parts
below; `env.unwrapped.observation_layout` has their places, and `env.unwrapped.decode_observation(vector)` reads them.
Seats are relative: 0 is the player's own, 1 the next seat clockwise. A place is 5 x seat + slot. The sizes are those
for 4 players.

| part | numbers | values | what it says |
| --- | --- | --- | --- |
| `phase` | 1 | 0 to 15 | what is decided; to others a turn is one phase |
| `turn` | 1 | 0 to 4 | whose turn it is: 0 nobody, 1 + seat |
| `to_act` | 1 | 0 to 4 | who decides: 0 nobody, 1 + seat; in a race oneself, or nobody for who laid the card |
| `dealer` | 1 | 0 to 4 | the dealer: 1 + seat |
| `turns` | 1 | 0 to 57 | turns played |
| `deck_size` | 1 | 0 to 57 | cards in the deck; Fin is among the last 11 |
| `values` | 20 | 0 to 7 | the values of all hands by slot: 0 not known |
| `suits` | 20 | 0 to 4 | their suits: 0 not known, 1 crow, 2 cup, 3 key, 4 bullet |
| `face_up` | 20 | 0 to 1 | which cards lie face up |
| `known_to` | 80 | 0 to 1 | which cards each player knows for certain |
| `action_values` | 2 | 0 to 7 | own Action Cards, oldest first: 0 none, value |
| `action_suits` | 2 | 0 to 4 | their suits: 0 none, 1 crow, 2 cup, 3 key, 4 bullet |
| `action_counts` | 4 | 0 to 2 | how many Action Cards each player holds |
| `discards` | 28 | 0 to 2 | discarded cards: crow1 ... crow7, cup1 ... bullet7 |
| `own_card` | 1 | 0 to 2 | the Action Card chosen this turn: 0 none yet |
| `own_ability` | 1 | 0 to 3 | the ability chosen this turn: 0 none yet, 1 crow, 2 cup, 3 key |
| `own_target` | 1 | 0 to 20 | the first target chosen for a cup: 0 none, 1 + place |
| `ability` | 1 | 0 to 3 | the ability announced: 0 none or bullet, 1 crow, 2 cup, 3 key |
| `target_player` | 1 | 0 to 4 | whose hand a key would look at: 0 nobody, 1 + seat |
| `targets` | 2 | 0 to 20 | the places that a crow or a cup would change: 0 none, 1 + place |
| `stack` | 6 | 0 to 4 | who laid the announced card, then the bullets on it: 0 nobody, 1 + seat |
| `chooser` | 1 | 0 to 4 | who chooses the card lost for a call: 0 nobody, 1 + seat |
| `victim` | 1 | 0 to 4 | who loses it: 0 nobody, 1 + seat |
| `record` | 16 | 0 to 32767 | public record of each seat: plays, lies, calls, right calls |
| `event_kinds` | 16 | 0 to 31 | public events, latest first |
| `event_players` | 16 | 0 to 4 | who: 0 nobody, 1 + seat |
| `event_others` | 16 | 0 to 4 | the other player concerned: 0 nobody, 1 + seat |
| `event_abilities` | 16 | 0 to 4 | what the card was said to be: 0 none, 4 bullet |
| `event_values` | 16 | 0 to 7 | the card that was shown or lost: 0 none, value |
| `event_suits` | 16 | 0 to 4 | its suit: 0 none, 1 crow, 2 cup, 3 key, 4 bullet |
| `event_places` | 16 | 0 to 20 | the place concerned: 0 none, 1 + place |
| `event_second_places` | 16 | 0 to 20 | the other place of a cup: 0 none, 1 + place |
| `alike` | 20 | 0 to 5 | known cards of that hand with its value: 0 not known |
| `own_alike` | 20 | 0 to 5 | own Poker Hand cards with its value: 0 not known |
| `action_alike` | 2 | 0 to 5 | own Poker Hand cards with the value of an Action Card |
| `own_card_value` | 1 | 0 to 7 | the Action Card chosen this turn: 0 none yet, value |
| `own_card_suit` | 1 | 0 to 4 | its suit: 0 none yet, 1 crow, 2 cup, 3 key, 4 bullet |
| `bullet_announced` | 1 | 0 to 1 | whether the ability announced is a bullet, which has no target |
| `rules.*` | 3 | 0 to 5 | the rules, a part for each |

## Actions

A move is several steps of the same agent: `use 1`, then `ability crow`, then `target +1 s3`. The others answer `let`,
`call` or `bullet I`. The mask says what is legal. `+K` is the K-th seat clockwise from the player's own, `+0` the
player's own seat, and `sJ` the J-th card of a Poker Hand. `env.unwrapped.action_names` is the list.

| index | action | what it does |
| --- | --- | --- |
| 0 to 1 | `use I` | lay the I-th Action Card face down |
| 2 to 4 | `ability A` | say that it is a crow, a cup or a key |
| 5 to 29 | `target +K sJ` | name the J-th Poker Hand card of this seat; twice for a cup |
| 30 to 33 | `target +K` | name the player at whose hand a key looks |
| 34 | `let` | let the card be |
| 35 | `call` | say that it is a bluff |
| 36 to 37 | `bullet I` | lay the I-th Action Card on it as a bullet |
| 38 to 42 | `pick sJ` | choose the card that the loser of a call loses |
| 43 | `ability bullet` | say that the card laid is a bullet |

## Rewards

Every step earns 0 until the game ends. Then the payoffs of the players add up to 0 and lie from -1 to 1.

| what happens | payoffs |
| --- | --- |
| the best hand | its player gets 1, or an equal share of it; each other player an equal share of -1 |
| all hands are equal | 0 |
| an illegal action | ends the game; its player gets -1, the others 0 |

All agents end together.

## Arguments

| argument | default | what it is |
| --- | --- | --- |
| `variant` | `"bluff-the-bullet"` | a preset, or rules of `bluff_env.make_rules` |
| `num_players` | `None` | by default the preset's usual number |
| `render_mode` | `None` | `"human"` prints the table, `"ansi"` returns text, `"rgb_array"` a picture |
| `encoding` | `"raw"` | `"raw"`, integers, or `"float"`, float32 as networks read it |
| `trim` | `False` | whether parts and actions that these rules cannot use are left out |
| `mask` | `"dict"` | where the mask is: `"dict"`, in the observation, or `"info"` |
| `deals` | `None` | the number of deals of a match, with the same players in the same seats |
| `events` | `True` | whether observations have the log of events (`event_*`) |
| `**house_rules` |  | changes of the rules by name, such as `responses="in_turn"` |

`env.reset(seed=..., options=...)` takes a forced deal: `deck`, top first, and `dealer`.

## Versions

* v0: the first version, not yet released.

`bluff_the_bullet_v0` becomes `bluff_the_bullet_v1` whenever a part of the observation, a mask, a reward or a rule of an
existing preset changes, so that the same seed and actions give other numbers. New presets, and new house rules with the
parts and actions that they append, change no version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bluff_env.bullet.family import FAMILY
from bluff_env.bullet.rules import Rules
from bluff_env.core.keywords import check_keywords
from bluff_env.envs.aec import RawEnv
from bluff_env.envs.wrappers import WrappedEnv, wrapped

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import BulletHouseRules

__all__ = ["env", "raw_env"]


class raw_env(RawEnv):
    """One game of Bluff the Bullet without PettingZoo's wrappers. Arguments and errors are those of :class:`RawEnv`."""

    metadata: dict[str, Any] = {**RawEnv.metadata, "name": "bluff_the_bullet_v0"}
    family = FAMILY


def env(
    variant: str | Rules = "bluff-the-bullet",
    num_players: int | None = None,
    render_mode: str | None = None,
    encoding: str = "raw",
    trim: bool = False,
    mask: str = "dict",
    deals: int | None = None,
    events: bool = True,
    **house_rules: Unpack[BulletHouseRules],
) -> WrappedEnv:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the game and costs its player 1.

    Arguments and errors are those of :class:`bluff_env.envs.aec.RawEnv`, which is ``env(...).unwrapped``.
    """
    check_keywords(house_rules, Rules.field_names())  # before raw_env takes pad_turns, which has no use here
    game = raw_env(
        variant,
        num_players,
        render_mode,
        encoding=encoding,
        trim=trim,
        mask=mask,
        deals=deals,
        events=events,
        **house_rules,
    )
    return wrapped(game)
