"""Insights: what a network reads beside the observation follows from it, and says what a player could work out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz import document_of
from test_checkpoints import make_policy, meta_of, rewrite

from bluff_env import Engine, Position
from bluff_env.bullet.family import FAMILY as BULLET
from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.cheat.game.state import NUM_FACES
from bluff_env.cheat.scripted.features import CLAIM_AT, num_features
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.encoding import FEATURES, Encoder, default_parts
from bluff_env.policies import CheckpointError, load_policy, save_checkpoint

FITS, DUE = slice(0, NUM_FACES), slice(2 * NUM_FACES, 3 * NUM_FACES)
ROOM, BEYOND, IMPOSSIBLE, OWN = (CLAIM_AT + i for i in (1, 2, 3, 4))
HANDS = [["AC", "AD", "2C", "3C"], ["AH", "2D", "2H", "2S"], ["AS", "3D", "3H", "3S"]]


def insights_of(position: Position, seat: int) -> np.ndarray:
    """Return what one seat could work out, float32 (num_features,)."""
    return Encoder(CHEAT, position.num_players, (FEATURES,)).encode(position.observe(seat)[None])[0]


def bullshit() -> Position:
    return Position("bullshit", 3, hands=HANDS, starter=0, dealer=2)


def test_a_player_in_turn_reads_which_cards_are_no_lie_and_when_ranks_are_due() -> None:
    """The first claim must be aces, of which the player has two; twos are due on the third turn from now on."""
    read = insights_of(bullshit(), 0)
    assert read[FITS].tolist() == [2 / 4, *[0] * (NUM_FACES - 1)]
    due = read[DUE]
    assert due[3] > due[6] > 0  # fours come at the player's next turn, sevens after that


def test_a_claim_of_more_cards_than_there_can_be_is_seen_through() -> None:
    """Seat 1 holds one ace itself, so three aces of seat 0 may be true; seat 0 has nothing to doubt."""
    position = bullshit()
    for action in ("place A", "place A", "place 2", "commit"):
        position.apply_action(action)
    witness = insights_of(position, 1)
    assert (witness[ROOM], witness[BEYOND], witness[IMPOSSIBLE], witness[OWN]) == (3 / 4, 0, 0, 1 / 4)
    assert 0 < witness[CLAIM_AT + 6 + 2] < 1  # the claimant sits two seats further on
    assert not insights_of(position, 0)[CLAIM_AT + 1 :].any()
    position = Position("bullshit", 3, hands=[HANDS[1], HANDS[0], HANDS[2]], starter=0, dealer=2)
    for action in ("place A", "place 2", "place 2", "commit"):
        position.apply_action(action)
    assert insights_of(position, 1)[IMPOSSIBLE] == 1  # with two aces of one's own, three more cannot be


@pytest.mark.parametrize("preset", VARIANTS)
def test_insights_are_finite_and_follow_from_the_observation_under_every_preset(preset: str) -> None:
    engine = Engine(preset, 32, VARIANTS[preset].players[1], seed=3)
    engine.play_random(60)
    encoder = Encoder(CHEAT, VARIANTS[preset].players[1], (FEATURES,))
    first = encoder.encode(engine.observations)
    assert np.isfinite(first).all() and np.abs(first).max() < 16 and first.any()
    assert np.array_equal(first, encoder.encode(engine.observations.copy()))


def test_seats_that_are_not_taken_read_as_nothing() -> None:
    """A network with room for more players reads the same, and zeros at the end."""
    position = bullshit()
    position.apply_action("place A")
    wide = Encoder(CHEAT, 6, (FEATURES,)).encode(position.observe(0)[None])[0]
    assert wide.size == num_features(6)
    assert np.array_equal(wide[: num_features(3)], insights_of(position, 0)) and not wide[num_features(3) :].any()


@pytest.mark.parametrize("part", ["claimant", "last_claim", "own_claim", "latest_faces", "rules.num_players"])
def test_a_row_that_is_no_observation_is_refused(part: str) -> None:
    """Its seats and faces are places in the observation, which may lie far outside."""
    encoder, rows = Encoder(CHEAT, 3, (FEATURES,)), np.stack([bullshit().observe(0)] * 2)
    for value in (-1, 15, 32767):
        rows[1, CHEAT.parts.layout(3)[part].start] = value
        with pytest.raises(ValueError, match="row 1 is not an observation"):
            encoder.encode(rows)


def test_insights_come_after_the_parts_of_an_observation() -> None:
    position = bullshit()
    parts = default_parts(position.rules)
    both = Encoder(CHEAT, 3, (FEATURES, *parts)).encode(position.observe(0)[None])[0]
    plain = Encoder(CHEAT, 3, parts).encode(position.observe(0)[None])[0]
    assert np.array_equal(both, np.concatenate([plain, insights_of(position, 0)]))


def test_bluff_the_bullet_has_no_insights() -> None:
    with pytest.raises(ValueError, match="no part 'insights'"):
        Encoder(BULLET, 3, (FEATURES,))


def test_a_checkpoint_names_its_insights_and_is_refused_if_there_are_others_now(tmp_path: Path) -> None:
    parts = (*default_parts(make_rules("pagat").resolve(4)), FEATURES)
    path = save_checkpoint(tmp_path / "mine", make_policy(parts=parts), meta_of())
    loaded = load_policy(path)
    assert loaded.encoder.parts[-1] == FEATURES
    observation = document_of(path.read_bytes())["observation"]
    observation["inputs"][FEATURES] = [7]
    rewrite(path, observation=observation)
    with pytest.raises(CheckpointError, match=r"reads 'insights' as \[7\], here it is \[66\]"):
        load_policy(path)
