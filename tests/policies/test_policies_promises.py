"""Policies: what every scripted player promises, the encoding, and the interface that all policies share."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.cheat.game.actions import ACTION_INDEX, ACTION_NAMES, NUM_ACTIONS, Action, possible_actions
from bluff_env.cheat.observe import layout
from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.encoding import Encoder, default_parts, seats_of
from bluff_env.core.engine import Engine
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.gym import CheatEnv
from bluff_env.policies.load import load_policy
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.published import published
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names

torch.set_num_threads(1)

TURN = 0  # the phase in which a player begins his turn
NAMES = scripted_names(CHEAT)

# Rules beyond the presets that change what a player is asked.
HOUSE_RULES = {
    "any count": ("pagat", {"count": "any"}),
    "more than announced": ("pagat", {"count": "more", "max_extra": 2, "packs": 2, "max_cards": 4}),
    "one card shown": ("pagat", {"reveal": "one"}),
    "announced shown": ("i-doubt-it", {"reveal": "announced"}),
    "jokers wild": ("bullshit", {"jokers": 4}),
    "jokers a rank": ("bullshit", {"jokers": 4, "joker_role": "rank"}),
    "any rank": ("pagat", {"steps": "any", "packs": 2}),
    "downwards": ("pagat", {"steps": (-1,), "direction": "anticlockwise"}),
    "suits, several cards": ("cheat", {"claim_kind": "suit", "jokers": 3}),
    "passing and places": ("pagat", {"end": "ranking", "passing": True}),
    "all on one's turn": ("chinese", {"full_set": "offer", "jokers": 2}),
}
GAMES = [(name, {}) for name in VARIANTS] + list(HOUSE_RULES.values())
GAME_IDS = [*VARIANTS, *HOUSE_RULES]


def play(engine: Engine, policies: list, seed: int = 0, watch=None) -> None:
    """Plays every game to its end, seat s by ``policies[s]``; ``watch`` is told all of it."""
    rng = np.random.default_rng(seed)
    actions = np.zeros(engine.num_games, np.int64)
    while np.any(engine.to_act >= 0):
        for seat, policy in enumerate(policies):
            rows = np.flatnonzero(engine.to_act == seat)
            if len(rows):
                observations, masks = engine.observations[rows], engine.action_masks[rows]
                actions[rows], _ = policy.predict(observations, action_masks=masks, rng=rng)
                if watch:
                    watch(seat, observations, masks, actions[rows])
        engine.step(actions, where=engine.to_act >= 0)


def observations_of(variant="cheat/pagat", games: int = 40, seed: int = 3, decisions: int = 60, **kwargs):
    """Observations and masks from the middle of random games."""
    engine = Engine(variant, games, seed=seed, **kwargs)
    engine.play_random(decisions)
    return engine.observations.copy(), engine.action_masks.copy()


# --- scripted players ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "changes"), GAMES, ids=GAME_IDS)
@pytest.mark.sample(7)
def test_scripted_players_play_whole_games_legally(name: str, changes: dict) -> None:
    """Every player, in every seat, by every rule set: no illegal action, and every game comes to its end."""
    players = VARIANTS[name].players[1]
    engine = Engine(name, 6, players, seed=1, autoreset=False, **changes)

    def watch(seat, observations, masks, actions):
        assert np.all(masks[np.arange(len(actions)), actions] == 1)

    for shift in range(len(NAMES)):
        engine.reset()
        names = [NAMES[(shift + seat) % len(NAMES)] for seat in range(players)]
        play(engine, [ScriptedPolicy(n, CHEAT) for n in names], seed=shift, watch=watch)
        assert engine.dones.all()


@pytest.mark.parametrize("players", [2, 3, 7, 10])
def test_scripted_players_for_other_numbers_of_players(players: int) -> None:
    engine = Engine("cheat/cheat" if players > 2 else "cheat/pagat", 4, players, autoreset=False)
    play(engine, [ScriptedPolicy(NAMES[seat % len(NAMES)], CHEAT) for seat in range(players)])
    assert engine.dones.all()


@pytest.mark.parametrize(("name", "changes"), GAMES, ids=GAME_IDS)
@pytest.mark.sample(7)
def test_always_call_calls_whenever_it_may(name: str, changes: dict) -> None:
    players = VARIANTS[name].players[1]
    engine = Engine(name, 5, players, autoreset=False, **changes)
    calls = [i for i, action in enumerate(ACTION_NAMES) if action == "call" or action.startswith("call +")]
    asked = 0

    def watch(seat, observations, masks, actions):
        nonlocal asked
        if seat == 0:
            no_set = ~masks[:, ACTION_INDEX["set aside A"] : ACTION_INDEX["set aside K"] + 1].any(1)
            may = masks[:, calls].any(1) & no_set
            assert np.isin(actions[may], calls).all()
            asked += may.sum()

    play(
        engine,
        [ScriptedPolicy("always-call", CHEAT)] + [ScriptedPolicy("reckless", CHEAT)] * (players - 1),
        watch=watch,
    )
    assert asked > 5


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("pagat", {}),
        ("bullshit", {}),
        ("cheat", {}),
        ("eightshit", {}),
        ("i-doubt-it", {}),
        ("pagat", {"count": "more", "max_extra": 8, "packs": 2, "max_cards": 1}),
    ],
)
def test_honest_lies_only_when_it_must(name: str, changes: dict) -> None:
    """Whenever the honest player can claim a rank it holds, its play is true."""
    players = 4
    engine = Engine(name, 20, players, seed=2, autoreset=False, **changes)
    policy, others = ScriptedPolicy("honest", CHEAT), ScriptedPolicy("reckless", CHEAT)
    rng = np.random.default_rng(0)
    parts = layout(players)
    able = np.zeros(engine.num_games, np.bool_)
    before = engine.results()
    plays = lies = 0
    while np.any(engine.to_act >= 0):
        own = engine.to_act == 0
        seen = engine.observations
        hand, claims = seen[:, parts["hand"].slice], seen[:, parts["claims"].slice]
        joker = (hand[:, -1] > 0) & (seen[:, parts["rules.joker_role"].start] == 0)
        starts = own & (seen[:, parts["phase"].start] == TURN)
        able[starts] = (np.any((hand > 0) & (claims > 0), axis=1) | joker)[starts]
        actions = np.zeros(engine.num_games, np.int64)
        for mine, player in ((True, policy), (False, others)):
            rows = np.flatnonzero((engine.to_act >= 0) & (own == mine))
            if len(rows):
                actions[rows], _ = player.predict(seen[rows], action_masks=engine.action_masks[rows], rng=rng)
        engine.step(actions, where=engine.to_act >= 0)
        after = engine.results()
        played = after["plays"][:, 0] > before["plays"][:, 0]
        lied = after["lies"][:, 0] > before["lies"][:, 0]
        assert not np.any(lied & able)
        able[played] = False  # a turn with no choice at all is not asked
        plays, lies = plays + played.sum(), lies + lied.sum()
        before = after
    assert plays > 100
    assert lies > 0  # it had to


def only_seat_one_can_know() -> Engine:
    """player_0 has claimed an ace, and player_1, who is asked, holds all of them."""
    hands = [["KC", "KD", "KH"], ["AC", "AD", "AH", "AS"], ["2C", "2D", "2H"]]
    engine = Engine("pagat", 1, 3, autoreset=False)
    engine.reset(deals=[{"hands": hands, "starter": 0}])
    for name in ("place K", "commit"):
        engine.step(np.array([ACTION_INDEX[name]]))
    assert engine.to_act[0] == 1
    return engine


@pytest.mark.parametrize("name", ["honest", "always-call"])
def test_an_impossible_claim_is_called(name: str) -> None:
    engine = only_seat_one_can_know()
    assert ScriptedPolicy(name, CHEAT).act(engine.observations[0], engine.action_masks[0]) == Action.CALL


def test_honest_never_calls_what_can_be_true() -> None:
    """All calls of the honest player are right."""
    engine = Engine("pagat", 60, 4, seed=5, autoreset=False)
    play(engine, [ScriptedPolicy("honest", CHEAT)] + [ScriptedPolicy("reckless", CHEAT)] * 3)
    results = engine.results()
    assert results["calls"][:, 0].sum() > 0
    assert np.array_equal(results["calls"][:, 0], results["right_calls"][:, 0])


def test_honest_plays_all_its_true_cards() -> None:
    hands = [["AC", "AD", "AH", "KC"], ["2C", "3C"], ["4C", "5C"]]
    engine = Engine("pagat", 1, 3, autoreset=False)
    engine.reset(deals=[{"hands": hands, "starter": 0}])
    policy = ScriptedPolicy("honest", CHEAT)
    while engine.to_act[0] == 0:
        engine.step(np.array([policy.act(engine.observations[0], engine.action_masks[0])]))
    play_made = engine.snapshot(0)["pile"][0]
    assert sorted(card[0] for card in play_made["cards"]) == ["A", "A", "A"]


def test_a_forced_lie_is_the_card_that_is_needed_last() -> None:
    """Three players, upwards from the ace: player_0 claims A, 4, 7, T, K, 3 ...; of 4, 7 and 3 the 3 comes last."""
    hands = [["3C", "4C", "7C"], ["AC", "2C"], ["5C", "6C"]]
    engine = Engine("pagat", 1, 3, autoreset=False)
    engine.reset(deals=[{"hands": hands, "starter": 0}])
    assert (
        ScriptedPolicy("honest", CHEAT).act(engine.observations[0], engine.action_masks[0]) == ACTION_INDEX["place 3"]
    )


@pytest.mark.parametrize(("variant", "action"), [("chinese", Action.PASS), ("bullshit", Action.TAKE_PILE)])
def test_honest_rather_passes_or_takes_the_pile_than_lies(variant: str, action: int) -> None:
    engine = Engine(variant, 30, 4, seed=1, autoreset=False)
    parts = layout(4)

    def watch(seat, observations, masks, actions):
        if seat == 0:
            hand, claims = observations[:, parts["hand"].slice], observations[:, parts["claims"].slice]
            must_lie = ~np.any((hand > 0) & (claims > 0), axis=1) & (masks[:, action] == 1) & (actions != Action.CALL)
            assert np.all(actions[must_lie] == action)
            seen.append(must_lie.sum())

    seen: list[int] = []
    play(engine, [ScriptedPolicy("honest", CHEAT)] + [ScriptedPolicy("reckless", CHEAT)] * 3, watch=watch)
    assert sum(seen) > 0


@pytest.mark.parametrize(
    ("candidate", "opponent", "least"),
    [
        ("honest", "random", 0.6),
        ("counter", "random", 0.6),
        ("counter", "reckless", 0.5),
        ("counter", "always-call", 0.6),
    ],
)
def test_thoughtful_players_beat_careless_ones(candidate: str, opponent: str, least: float) -> None:
    """Four hundred games each, one against three: far above the fair quarter."""
    result = evaluate(f"scripted/{candidate}", f"scripted/{opponent}", "cheat/pagat", 4, deals=100, seed=7)
    assert result.win_share.low > least


@pytest.mark.parametrize("name", ["honest", "always-call"])
def test_room_for_more_seats_changes_nothing(name: str) -> None:
    """A player acts alike on the same games, whether the observation has room for more seats or not."""
    policy = ScriptedPolicy(name, CHEAT)
    tight, wide = (Engine("bullshit", 10, 3, seed=4, seats=seats) for seats in (3, 8))
    for _ in range(100):
        actions = [policy.predict(e.observations, action_masks=e.action_masks)[0] for e in (tight, wide)]
        assert np.array_equal(*actions)
        for engine in (tight, wide):
            engine.step(actions[0])


# --- the interface ---------------------------------------------------------------------------------------------------


def small_network(rules: Rules | str = "pagat", seats: int = 4, parts: tuple[str, ...] | None = None) -> NetworkPolicy:
    rules = make_rules(rules).resolve(seats)
    encoder = Encoder(CHEAT, seats, default_parts(rules) if parts is None else parts)
    actions = possible_actions(rules)
    torch.manual_seed(0)
    network = ActorCritic(encoder.size, (16, 16), len(actions))
    torch.nn.init.normal_(network.actor[-1].weight, std=0.5)  # decided opinions: the initial policy is nearly uniform
    return NetworkPolicy(network, encoder, actions)


def policies() -> list:
    def lowest(observation, mask):
        return int(np.flatnonzero(mask)[0])

    return [*(load_policy(f"scripted/{n}") for n in NAMES), small_network(), load_policy(lowest)]


@pytest.mark.parametrize("policy", policies(), ids=lambda p: p.name)
def test_predict_and_act(policy) -> None:
    observations, masks = observations_of()
    actions, state = policy.predict(observations, action_masks=masks, rng=np.random.default_rng(1))
    assert actions.dtype == np.int64 and actions.shape == (len(observations),) and state is None
    assert np.all(masks[np.arange(len(actions)), actions] == 1)
    again, _ = policy.predict(observations, action_masks=masks, rng=np.random.default_rng(1))
    assert np.array_equal(actions, again)
    first, _ = policy.predict(observations, action_masks=masks, deterministic=True)
    second, _ = policy.predict(observations, action_masks=masks, deterministic=True)
    assert np.array_equal(first, second)
    one, _ = policy.predict(observations[0], action_masks=masks[0])
    assert np.shape(one) == () and masks[0, int(one)] == 1
    action = policy.act(observations[0], masks[0], rng=np.random.default_rng(1))
    assert type(action) is int and masks[0, action] == 1
    assert isinstance(policy.name, str)
    for rows in (1, 2):
        with pytest.raises(ValueError, match="act takes one observation"):
            policy.act(observations[:rows], masks[:rows])
    with pytest.raises(ValueError, match="action_masks"):
        policy.predict(observations)


def test_random_is_uniform_over_legal_actions() -> None:
    observations, masks = observations_of(games=1)
    many = 20000
    actions, _ = ScriptedPolicy("random", CHEAT).predict(
        np.repeat(observations, many, 0), action_masks=np.repeat(masks, many, 0), rng=np.random.default_rng(0)
    )
    legal = np.flatnonzero(masks[0])
    shares = np.bincount(actions, minlength=NUM_ACTIONS)[legal] / many
    assert np.abs(shares - 1 / len(legal)).max() < 0.02


def test_network_policy_samples_its_probabilities() -> None:
    policy = small_network()
    observations, masks = observations_of(games=8)
    row = int(masks.sum(1).argmax())
    many = 20000
    p = policy.probabilities(observations[row : row + 1], masks[row : row + 1])[0]
    assert np.isclose(p.sum(), 1, atol=1e-5) and np.all(p[masks[row] == 0] == 0)
    actions, _ = policy.predict(
        np.repeat(observations[row : row + 1], many, 0),
        action_masks=np.repeat(masks[row : row + 1], many, 0),
        rng=np.random.default_rng(0),
    )
    shares = np.bincount(actions, minlength=NUM_ACTIONS) / many
    assert np.abs(shares - p).max() < 0.02
    best, _ = policy.predict(observations[row], action_masks=masks[row], deterministic=True)
    assert int(best) == p.argmax()


def test_probabilities_stand_under_the_names_of_their_actions() -> None:
    """They counted by the policy's own outputs, 17 of 223: an index by name was that of another action."""
    policy = load_policy("cheat/bullshit/4p")
    engine = Engine("bullshit", 64, 4, seed=2)
    engine.play_random(9)
    found = policy.probabilities(engine.observations, engine.action_masks)
    assert found.shape == engine.action_masks.shape and found.dtype == np.float32
    assert np.allclose(found.sum(1), 1, atol=1e-6) and not found[engine.action_masks == 0].any()
    for row in range(0, 64, 7):
        told = policy.explain(engine.observations[row], engine.action_masks[row]).probabilities
        assert told == pytest.approx({name: found[row, engine.action_names.index(name)] for name in told}, abs=1e-5)


def test_network_policy_plays_legally_with_fewer_players() -> None:
    policy = small_network(seats=4, parts=("hand", "placed", "claims", "certain", "record", "places", "event_kinds"))
    for players in (2, 3):
        engine = Engine("pagat", 8, players, autoreset=False)
        play(engine, [policy] * players)
        assert engine.dones.all()


# --- the encoding ----------------------------------------------------------------------------------------------------


def encode_slowly(parts, names, observation) -> np.ndarray:
    """The encoding as its definition says it, one number after the other."""
    numbers: list[float] = []
    for name in names:
        part = parts[name]
        for value in observation[part.slice].tolist():
            if part.kind == "category":
                numbers += [float(value == category) for category in range(part.high + 1)]
            else:
                numbers.append(value / part.scale)
    return np.array(numbers, np.float32)


@pytest.mark.parametrize(("name", "changes"), GAMES, ids=GAME_IDS)
def test_encoding_is_its_definition(name: str, changes: dict) -> None:
    players = VARIANTS[name].players[1]
    observations = observations_of(name, num_players=players, **changes)[0][::4].copy()
    parts = layout(players, wide=make_rules(name, **changes).resolve(players).is_wide)
    for names in (tuple(parts), default_parts(make_rules(name, **changes)), ("record", "phase", "hand")):
        encoder = Encoder(CHEAT, players, names)
        encoded = encoder.encode(observations)
        assert encoded.dtype == np.float32 and encoded.shape == (len(observations), encoder.size)
        assert np.allclose(encoded, [encode_slowly(parts, names, o) for o in observations], atol=1e-6)
        out = np.full_like(encoded, 7)
        assert encoder.encode(observations, out) is out and np.array_equal(out, encoded)


def test_encoder_reads_fewer_seats() -> None:
    """What a wide encoder reads of a tight observation: the same numbers where the tight one has them, else none."""
    observations, _ = observations_of(num_players=3)
    names = ("turn", "hand", "hand_sizes", "certain", "record", "event_kinds", "event_counts", "claimant")
    wide = Encoder(CHEAT, 5, names).encode(observations)
    at = 0
    for name in names:
        part, there = layout(5)[name], layout(3)[name]
        values = observations[:, there.slice].reshape(len(observations), *there.shape)
        if part.kind == "category":
            values = (values[..., None] == np.arange(part.high + 1)).astype(np.float32)
        shape = (*part.shape, part.high + 1) if part.kind == "category" else part.shape
        size = int(np.prod(shape, dtype=int))
        got = wide[:, at : at + size].reshape(len(observations), *shape)
        if part.shape:
            got = got[:, : there.shape[0]]
        assert np.allclose(got, values / (1 if part.kind == "category" else part.scale), atol=1e-6), name
        at += size
    assert at == wide.shape[1]


def test_fewer_seats_are_encoded_as_empty_seats() -> None:
    """The same games, observed with room for 3 seats and for 5, are one input to a network made for 5."""
    tight, wide = (Engine("pagat", 20, 3, seed=1, seats=seats) for seats in (3, 5))
    names = tuple(name for name in layout(5) if not name.startswith("event_"))
    for _ in range(40):
        assert np.array_equal(*(Encoder(CHEAT, 5, names).encode(e.observations) for e in (tight, wide)))
        actions, _ = ScriptedPolicy("honest", CHEAT).predict(tight.observations, action_masks=tight.action_masks)
        tight.step(actions)
        wide.step(actions)
    fresh = [Engine("pagat", 5, 3, seed=1, seats=seats).observations for seats in (3, 5)]
    assert np.array_equal(*(Encoder(CHEAT, 5).encode(o) for o in fresh))


@pytest.mark.parametrize("value", [-1, layout(4)["phase"].high + 1, 1000, 32767])
def test_a_category_that_does_not_exist_is_refused(value: int) -> None:
    """It must never be written: it would lie outside the row."""
    observations, _ = observations_of()
    observations[7, layout(4)["phase"].start] = value
    with pytest.raises(ValueError, match="row 7"):
        Encoder(CHEAT, 4).encode(observations)


def test_a_network_that_knows_no_legal_action_says_so() -> None:
    observations, masks = observations_of(games=2)
    masks[1] = 0
    masks[1, Action.TAKE_PILE] = 1
    with pytest.raises(ValueError, match="row 1"):
        small_network().predict(observations, action_masks=masks)


def test_encoder_refusals() -> None:
    with pytest.raises(ValueError, match="hnad"):
        Encoder(CHEAT, 4, ("hnad",))
    observations, _ = observations_of(num_players=4)
    with pytest.raises(ValueError, match="3 seats"):
        Encoder(CHEAT, 3, ("hand",)).encode(observations)
    with pytest.raises(ValueError, match="17"):
        seats_of(CHEAT, 17)


def test_default_parts_are_those_that_vary() -> None:
    pagat, generalist = default_parts(make_rules("pagat")), default_parts(make_rules("pagat"), all_rules=True)
    assert "hand" in pagat and "hand_cards" not in pagat and not any(n.startswith("rules.") for n in pagat)
    assert set(generalist) - set(pagat) == {n for n in layout() if n.startswith("rules.")}
    assert "hand_cards" in default_parts(make_rules("specificity"))
    assert "passed" in default_parts(make_rules("chinese"))


@pytest.mark.parametrize("name", published())
def test_a_network_plays_in_numpy_as_in_torch(name: str) -> None:
    """To 1e-5: probabilities, expected payoffs, and the logits of suspicions."""
    policy = load_policy(name)
    theirs = ActorCritic.of(policy.network)
    rules, n = policy.rules or "cheat/pagat", policy.num_players or 4  # the policy for many games names none
    engine, rng = Engine(rules, num_games=200, num_players=n, seed=1), np.random.default_rng(2)
    for _ in range(12):
        x, legal = policy.encoder.encode(engine.observations), engine.action_masks[:, policy.actions]
        ours = policy.network.probabilities(x, legal)
        assert np.abs(ours - theirs.probabilities(x, legal)).max() < 1e-5
        assert (ours[legal == 0] == 0).all() and ours.dtype == np.float32
        assert np.abs(policy.network.judge(x) - theirs.judge(x)).max() < 1e-4
        engine.step(policy.predict(engine.observations, action_masks=engine.action_masks, rng=rng)[0])


@pytest.mark.parametrize("name", ["random", "scripted/counter", "cheat/bullshit/4p"])
def test_what_another_view_shows_is_refused_with_the_view_to_take(name: str) -> None:
    """A vector of floats or a trimmed one: the sentence said only that no observation has so many numbers."""
    policy = load_policy(name)
    for options in ({}, {"trim": True, "encoding": "raw"}, {"events": False, "encoding": "raw"}):
        env = CheatEnv("bullshit", num_players=4, **options)
        observation, info = env.reset(seed=1)
        with pytest.raises(ValueError, match=r'policies read whole .*"raw", trim=False and events='):
            policy.act(observation, info["action_mask"])
    env = CheatEnv("bullshit", num_players=4, encoding="raw")
    observation, info = env.reset(seed=1)
    policy.act(observation, info["action_mask"])
    with pytest.raises(ValueError, match=r"action_masks has shape \(1, 17\), not .*trim=False"):
        policy.act(observation, info["action_mask"][:17])
