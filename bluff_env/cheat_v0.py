"""# Cheat

Cheat, also known as Bullshit, I Doubt It and Bluff, as a PettingZoo (AEC) environment, with many house rules.

## At a glance

|  | `pagat`, 4 players |
| --- | --- |
| Import | `from bluff_env import cheat_v0` |
| Actions | discrete, with a mask; a move is one step or several |
| Parallel API | no; players move in turn |
| Manual control | `bluff-env play --variant pagat` |
| Agents | `player_0`, `player_1`, `player_2`, `player_3` |
| Number of agents | 4; 2 to 10 by `num_players` |
| Action space | `Discrete(223)`; with `trim=True` `Discrete(16)` |
| Observation shape | `(498,)`; with `trim=True` `(236,)`; with `encoding="float"` `(1550,)` |
| Observation values | whole numbers from 0 to 32767 |
| Mask | int8 `(223,)`, 1 for each legal action |
| Rewards | at the end of the game, from -1 to 1 |

## The game

Who gets rid of all cards first wins. The cards are dealt out. On a turn a player lays cards face down on the pile and
claims what they are: "two sevens". The claim may be a lie. Then the others say, without seeing what anybody else says,
whether they let the play stand or call it. A called play is turned over. If any card does not match the claim it was a
lie, and the player who was called takes the whole pile; otherwise the caller takes it.

In `pagat`, the default, 4 players share 52 cards. Claims go A, 2, 3 and so on in turn, and after kings come aces again;
the first play must be claimed as aces. A play has 1 to 4 cards, and their number is true. If several players call, one
of them is drawn by lot. After a call the player on the left of the one who was called plays next, and the claims go on.
Nobody may pass. The last cards can be called too: a player is out, and wins, when nobody calls them or when the call is
wrong. After 200 turns, plays and calls counted, time is up: the player with the fewest cards wins, and equal players
share.

`variant` names a preset with other rules, and any rule can be changed. `bluff-env describe VARIANT` and
`env.unwrapped.rules` tell the rules that are played; `env.unwrapped.observe_text(agent)` tells in words what a player
knows. The page of each preset, `docs/variants/NAME.md`, has its game card: sizes, length, branching and strength.

## Usage

    from bluff_env import cheat_v0

    env = cheat_v0.env(variant="pagat", num_players=4, render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

## Observation

An observation is `{"observation": vector, "action_mask": mask}`. The vector is what this player knows, in the parts
below; `env.unwrapped.observation_layout` has their places, and `env.unwrapped.decode_observation(vector)` reads them.
Seats are relative: 0 is the player's own, 1 the next seat clockwise. Faces are A, 2 ... K (C, D, H, S where suits are
claimed), then the joker. The sizes are those for 4 players.

| part | numbers | values | what it says |
| --- | --- | --- | --- |
| `phase` | 1 | 0 to 15 | what is decided; to others a turn is one phase |
| `turn` | 1 | 0 to 4 | whose turn it is (in a window, the claimant's): 0 nobody, 1 + seat |
| `dealer` | 1 | 0 to 4 | the dealer: 1 + seat |
| `clock` | 1 | 0 to 30000 | turns left before time is up |
| `hand` | 14 | 0 to 224 | own hand by rank |
| `hand_cards` | 52 | 0 to 4 | own hand by card, AC AD AH AS 2C ..., where suits matter |
| `placed` | 14 | 0 to 224 | cards placed so far this turn (or to switch), by rank |
| `own_claim` | 1 | 0 to 14 | the claim chosen this turn: 0 none, 1 + face |
| `hand_sizes` | 4 | 0 to 224 | hand sizes as everybody knows them; one's own is exact |
| `pile_size` | 1 | 0 to 224 | cards in the pile as everybody knows it |
| `pile_plays` | 1 | 0 to 224 | plays in the pile |
| `places` | 4 | 0 to 4 | the place of each player who is out: 0 none |
| `claims` | 14 | 0 to 1 | faces that the coming (in a window: the last) play could claim |
| `last_claim` | 1 | 0 to 14 | the last claim: 0 none, 1 + face |
| `last_count` | 1 | 0 to 224 | the number announced with it |
| `claimant` | 1 | 0 to 4 | who made it: 0 nobody, 1 + seat |
| `final_play` | 1 | 0 to 1 | the last play emptied the claimant's hand, and can still be called |
| `open_play` | 1 | 0 to 1 | the last play can still be doubted |
| `leading` | 1 | 0 to 1 | nobody has played since the round began |
| `took_pile` | 1 | 0 to 1 | the pile was taken this turn |
| `passed` | 4 | 0 to 1 | who passed since the last play |
| `times_caught` | 1 | 0 to 2 | lies in a row on this claim |
| `pile_known` | 14 | 0 to 224 | cards in the pile that one knows, by face |
| `checked` | 14 | 0 to 224 | the play one looked at last, by face |
| `checked_player` | 1 | 0 to 4 | whose play that was: 0 nobody, 1 + seat |
| `removed_known` | 14 | 0 to 224 | cards one knows are out of the game, by face |
| `certain` | 42 | 0 to 224 | cards each other player certainly holds, by face |
| `record` | 24 | 0 to 32767 | public record of each seat: plays, calls, right calls, called, lies shown, passes |
| `shown` | 14 | 0 to 224 | the cards last turned over, by rank |
| `shown_cards` | 52 | 0 to 4 | the same by card, where suits matter |
| `drinks` | 4 | 0 to 32767 | drinks of each seat, if they enter the reward |
| `slaps` | 4 | 0 to 32767 | slaps of each seat |
| `event_kinds` | 16 | 0 to 31 | public events, latest first |
| `event_players` | 16 | 0 to 4 | who: 0 nobody, 1 + seat |
| `event_faces` | 16 | 0 to 14 | the face named: 0 none, 1 + face |
| `event_counts` | 16 | 0 to 224 | the number announced, or the size of the pile |
| `event_others` | 16 | 0 to 4 | the claimant called or checked: 0 nobody, 1 + seat |
| `bid` | 1 | 0 to 16 | the last opening bid |
| `bidder` | 1 | 0 to 4 | who made it: 0 nobody, 1 + seat |
| `bid_shown` | 1 | 0 to 16 | cards of the highest rank shown when the bid was called |
| `latest_faces` | 4 | 0 to 14 | each seat's latest play that can be called |
| `latest_counts` | 4 | 0 to 224 | the number announced with it |
| `must_play` | 1 | 0 to 1 | the player in turn has jumped and may neither pass nor take the pile |
| `cup` | 1 | 0 to 32767 | what is in the King's cup, if it enters the reward |
| `cup_drunk` | 4 | 0 to 32767 | what each seat has drunk of it |
| `allies` | 4 | 0 to 1 | who is in one's own team, besides oneself |
| `idle_ticks` | 1 | 0 to 4 | ticks in a row in which everybody waited |
| `notices` | 3 | 0 to 1 | what one noticed last: hands, a thick stack, a switch |
| `sleights_done` | 6 | 0 to 1 | own sleights this turn |
| `lap` | 14 | 0 to 224 | cards in one's lap, by rank |
| `received` | 1 | 0 to 14 | the card just slipped into one's hand: 0 none, 1 + face |
| `peeked` | 1 | 0 to 14 | the card one peeked at last: 0 none, 1 + face |
| `peeked_player` | 1 | 0 to 4 | whose card that was: 0 nobody, 1 + seat |
| `due` | 1 | 0 to 4 | whose turn it is by right: 0 nobody, 1 + seat |
| `rules.*` | 65 | 0 to 32767 | the rules, a part for each |

## Actions

A move is several steps of the same agent: the claim if there is a choice, the cards one after the other, lowest first,
then `commit`. So `place 4`, `place 4`, `commit` lays two fours. The others answer `let` or `call`. The list is the same
for every rule set; the mask says what is legal. R is a rank (A 2 3 4 5 6 7 8 9 T J Q K, or JK for a joker), S a suit
(C D H S), N a number, `+K` the K-th seat clockwise from the player's own. `env.unwrapped.action_names` is the list.

| index | action | what it does |
| --- | --- | --- |
| 0 to 13 | `claim R` | announce this rank for the play, where there is a choice |
| 14 to 17 | `claim suit S` | announce this suit, where suits are claimed |
| 18 to 31 | `place R` | lay a card of this rank face down: lowest first, jokers last |
| 32 to 83 | `place RS` | lay this card face down, where suits matter |
| 84 to 107 | `count N` | announce this number of cards, where it may be a lie |
| 108 | `commit` | lay no more cards: the play is made |
| 109 | `pass` | play nothing |
| 110 | `take pile` | take the pile before the play |
| 111 | `let` | let the last play stand |
| 112 | `call` | say that the last play, or the bid, is a lie |
| 113 | `believe` | say that the last play is true |
| 114 | `check` | look at the last play alone; or turn a called play over whole, where there is a choice |
| 115 to 123 | `call +K` | call the latest play of this seat, where older plays may be called |
| 124 to 136 | `set aside R` | put a full set aside |
| 137 to 152 | `bid N` | bid so many cards of the highest rank |
| 153 | `wait` | leave the play to others |
| 154 | `jump` | play although it is another's turn |
| 155 to 168 | `hide R` | drop a card of the hand into one's lap |
| 169 to 182 | `slip R` | slip a card to another player |
| 183 to 191 | `to +K` | the seat to which it is slipped |
| 192 to 200 | `peek +K` | peek at a card of this seat |
| 201 to 214 | `switch R` | take this card of the called play back; `place R` says for which |
| 215 | `keep` | switch nothing; or, if one is forced, show no card |
| 216 to 218 | `short deal N` | as the dealer, deal oneself so many cards too few |
| 219 | `deal` | deal honestly |
| 220 | `demand redeal` | say that the deal was short |
| 221 | `accept` | accept the deal, or a lost call; or turn over as many cards as were announced |
| 222 | `accuse` | accuse the player in turn of a sleight of hand; or force the last one to show a card |

## Rewards

Every step earns 0 until the game ends. Then the payoffs of the players add up to 0 and lie from -1 to 1.

| rules | payoffs of N players |
| --- | --- |
| `end="first_out"` | the winner gets 1, each other player -1/(N-1) |
| `end="last_loses"` | the loser gets -1, each other player 1/(N-1) |
| `end="first_call"` | the same of the loser of the call |
| `revolver=True` | the last player alive gets 1, each other player -1/(N-1) |
| `end="ranking"` | place k gets 1 - 2(k-1)/(N-1) |
| at the length limit | the cards in hand decide; equal players share. It is a termination, no truncation |
| `teams` | a team shares the mean |
| `drinks_weight` and the other weights | a ledger counts too; payoffs may leave -1 to 1 then |
| an illegal action | ends the game; its player gets -1, the others 0 |

All agents end together. `infos[agent]["length_limit"]` tells at the end whether time was up.

## Arguments

| argument | default | what it is |
| --- | --- | --- |
| `variant` | `"pagat"` | a preset, or rules of `bluff_env.make_rules` |
| `num_players` | `None` | by default the preset's usual number |
| `render_mode` | `None` | `"human"` prints the table, `"ansi"` returns text, `"rgb_array"` a picture |
| `pad_turns` | `False` | whether every turn takes equally many steps |
| `encoding` | `"raw"` | `"raw"`, integers, or `"float"`, float32 as networks read it |
| `trim` | `False` | whether parts and actions that these rules cannot use are left out |
| `mask` | `"dict"` | where the mask is: `"dict"`, in the observation, or `"info"` |
| `deals` | `None` | the number of deals of a match, with the same players in the same seats |
| `events` | `True` | whether observations have the log of events (`event_*`) |
| `**house_rules` |  | changes of the rules by name, such as `jokers=2` |

`env.reset(seed=..., options=...)` takes a forced deal: `hands`, `starter`, `dealer`.

## Versions

* v0: the first version, not yet released.

`cheat_v0` becomes `cheat_v1` whenever a part of the observation, a mask, a reward or a rule of an existing preset
changes, so that the same seed and actions give other numbers. New presets, and new house rules with the parts and
actions that they append, change no version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bluff_env.cheat.family import FAMILY
from bluff_env.cheat.rules import Rules
from bluff_env.envs.aec import RawEnv
from bluff_env.envs.wrappers import WrappedEnv, wrapped

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import CheatHouseRules

__all__ = ["env", "raw_env"]


class raw_env(RawEnv):
    """One game of Cheat without PettingZoo's wrappers. Arguments and errors are those of :class:`RawEnv`."""

    metadata: dict[str, Any] = {**RawEnv.metadata, "name": "cheat_v0"}
    family = FAMILY


def env(
    variant: str | Rules = "pagat",
    num_players: int | None = None,
    render_mode: str | None = None,
    pad_turns: bool = False,
    encoding: str = "raw",
    trim: bool = False,
    mask: str = "dict",
    deals: int | None = None,
    events: bool = True,
    **house_rules: Unpack[CheatHouseRules],
) -> WrappedEnv:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the game and costs its player 1.

    Arguments and errors are those of :class:`bluff_env.envs.aec.RawEnv`, which is ``env(...).unwrapped``.
    """
    game = raw_env(variant, num_players, render_mode, pad_turns, encoding, trim, mask, deals, events, **house_rules)
    return wrapped(game)
