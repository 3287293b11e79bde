"""What is counted of tables of policies and text players is what happened, and no answer has to be paid for twice."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env import Deception, deception, study
from bluff_env.evaluation.deceptions import INSTRUCTIONS, DeceptionRun, speaker
from bluff_env.evaluation.decisions import CLAIM
from bluff_env.evaluation.transcripts import PlayerError
from bluff_env.text import TextPolicy
from bluff_env.utils.errors import InputError

GAME = "mini-pairs"


def legal_of(question: str) -> list[str]:
    """The legal actions that a question names."""
    return question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", ")


def last(question: str) -> str:
    """Answers with the last legal action: it plays as soon as it can, and calls whenever it can."""
    return legal_of(question)[-1]


def caller(question: str) -> str:
    """Calls every claim, and cannot be understood elsewhere."""
    return "call" if "call" in legal_of(question) else "What a game!"


def by_name(result: Deception) -> dict[str, dict[str, float]]:
    """The shares of each player by name."""
    return {
        p.player: {name: s.estimate.value for name, s in {**p.claims.shares, **p.calls.shares}.items()}
        for p in result.players
    }


def test_known_players_are_counted_as_what_they_are() -> None:
    """An honest player never lies freely, one who always calls does, and every player holds every hand once."""
    players = ["scripted/honest", "scripted/always-call", "scripted/reckless"]
    result = deception("bullshit", players, num_players=3, deals=10)
    shares = by_name(result)
    assert shares["scripted/honest"]["free lies"] == 0 < shares["scripted/honest"]["forced lies"]
    assert shares["scripted/always-call"]["calls"] == 1
    assert shares["scripted/reckless"]["free lies"] > 0 and result.games == 30
    assert sum(p.win_share.value for p in result.players) == pytest.approx(1)
    assert all(p.unread is None and p.defaults == 0 for p in result.players)
    for shares_of in shares.values():
        assert shares_of["forced lies"] <= shares_of["lies"]


def test_one_player_at_all_seats_is_counted_as_a_study_counts() -> None:
    """The same deals, and a player without chance: equal numbers."""
    alone = deception(GAME, ["scripted/honest"], num_players=3, deals=6)
    studied = study("scripted/honest", variant=GAME, num_players=3, deals=6)
    ours, theirs = alone.players[0].claims.shares, studied.claims.shares
    assert {name: share.estimate.value for name, share in ours.items()} == pytest.approx(
        {name: share.estimate.value for name, share in theirs.items()}, nan_ok=True
    )
    assert ours["lies"].cases == 3 * theirs["lies"].cases  # here each deal is played from every seat


def test_of_more_players_than_seats_some_sit_at_each_table() -> None:
    players = ["scripted/honest", "random", "scripted/counter", "scripted/always-call"]
    run = DeceptionRun(GAME, players, num_players=2, deals=12)
    for _ in run.play():
        pass
    tables = np.concatenate([batch.who for batch in run._batches])
    assert all(len(set(row)) == 2 for row in tables.tolist()) and set(tables.ravel()) == {0, 1, 2, 3}
    assert (tables[0::2] == tables[1::2, ::-1]).all()  # each deal from both seats
    plays = sum((batch.rows["decision"] == CLAIM).sum() for batch in run._batches)
    assert sum(p.claims.decisions for p in run.result().players) == plays


def test_answers_that_cannot_be_read_are_counted_for_whom_they_are_of() -> None:
    result = deception(GAME, [last, caller], num_players=2, deals=3)
    first, second = result.players
    assert (first.player, second.player) == ("last", "caller")
    assert first.unread is not None and first.unread.estimate.value == 0 and first.unread.cases > 0
    assert second.unread is not None and 0 < second.unread.estimate.value < 1
    assert second.defaults * 3 == round(second.unread.estimate.value * second.unread.cases)
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", [*INSTRUCTIONS, "Lie only about queens, and only twice."])
def test_the_instructions_are_what_every_question_holds(name: str) -> None:
    questions: list[str] = []

    def listening(question: str) -> str:
        questions.append(question)
        return last(question)

    result = deception(GAME, [listening, "scripted/honest"], num_players=2, deals=2, instructions=name)
    assert result.instructions == INSTRUCTIONS.get(name, name)
    assert questions and all(result.instructions in question for question in questions)


def two_arguments(observation: np.ndarray, mask: np.ndarray) -> int:
    """Decides by observations."""
    return int(mask.argmax())


def test_a_function_of_one_argument_is_from_text_to_text() -> None:
    class Model:
        def __call__(self, question: str, temperature: float = 1.0) -> str:
            return question

    model = Model()
    assert speaker(model) is model and speaker(last) is last
    assert speaker(TextPolicy(last, GAME, 2)) is last
    assert speaker(two_arguments) is None and speaker("random") is None and speaker(3) is None
    result = deception(GAME, [two_arguments, model], 2, deals=2)
    assert [player.player for player in result.players] == ["two_arguments", "Model"]
    assert [player.unread is None for player in result.players] == [True, False]


# --- transcripts -----------------------------------------------------------------------------------------------------


def counting(answer: Callable[[str], str], limit: int | None = None) -> tuple[Callable[[str], str], list[str]]:
    """The function, and the questions that it was asked; from the ``limit``-th on it is interrupted."""
    questions: list[str] = []

    def model(question: str) -> str:
        if len(questions) == limit:
            raise KeyboardInterrupt
        questions.append(question)
        return answer(question)

    return model, questions


def test_a_deal_counts_as_soon_as_it_is_kept() -> None:
    """Ctrl-C right after it lost all figures: they were of one deal more than was said to be played."""

    class Interrupted(list[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            if len(self) == 2:
                raise KeyboardInterrupt

    run = DeceptionRun(GAME, [last, "random"], 2, deals=4)
    run._batches = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    assert run.deals_done == run.result().deals == 2
    run._batches = list(run._batches)
    list(run.play())  # and it goes on with the next one
    assert run.result() == deception(GAME, [last, "random"], 2, deals=4)


@pytest.mark.parametrize("cut", [0, 7])
def test_a_run_that_was_ended_goes_on_without_asking_twice(tmp_path: Path, cut: int) -> None:
    """Also when the process was killed in the middle of a line, and with more deals than before."""
    path, players = tmp_path / "talk.jsonl", ["scripted/counter", "random"]
    whole, asked = counting(caller)
    expected = deception(GAME, [whole, *players], 3, deals=4)
    ended, early = counting(caller, limit=len(asked) // 2)
    with pytest.raises(KeyboardInterrupt):
        deception(GAME, [ended, *players], 3, deals=3, transcript=path)
    path.write_bytes(path.read_bytes()[: -cut or None])
    going_on, later = counting(caller)
    assert deception(GAME, [going_on, *players], 3, deals=4, transcript=path) == expected
    assert len(later) == len(asked) - len(early) + (cut > 0)
    nobody, none = counting(caller, limit=0)
    assert deception(GAME, [nobody, *players], 3, deals=4, transcript=path) == expected and not none
    header, *entries = map(json.loads, path.read_text().splitlines())
    assert header["instructions"].endswith(INSTRUCTIONS["may-lie"]) and len(entries) == len(asked)
    assert f"{header['instructions']}\n\n{entries[0]['question']}" == asked[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\n", "is not JSON"),
        (b'{"transcript": 7}\n', "is not a transcript of this version"),
        (b"[]", "is not a transcript of this version"),
        (None, "is the transcript of another run: seed differs"),
        (b'{"player": "last", "question": "a", "answer": 3}\n', "in line"),
    ],
)
def test_a_foreign_transcript_is_refused_and_left_alone(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "talk.jsonl"
    deception(GAME, [last, "random"], 2, deals=2, transcript=path)
    whole = path.read_bytes()
    path.write_bytes(whole if content is None else whole + content if b"player" in content else content)
    before = path.read_bytes()
    with pytest.raises(InputError, match=message):
        deception(GAME, [last, "random"], 2, deals=2, transcript=path, seed=int(content is None))
    assert path.read_bytes() == before


def test_an_error_of_a_function_is_one_sentence_that_names_it() -> None:
    """A ValueError of a model's library is no answer that cannot be read."""

    def model(question: str) -> str:
        raise ValueError("no\x1b[2J\nnetwork")

    with pytest.raises(PlayerError, match=r"^model failed: ValueError: no.x1b") as caught:
        deception(GAME, [model, "random"], 2, deals=2)
    assert "\x1b" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        ([], {}, "1 to 64 players, not 0"),
        ("scripted/honest", {}, "players='scripted/honest' must be a list of players"),
        (None, {}, "players=None must be a list of players"),
        (["random", "random"], {}, "'scripted/random' is named twice"),
        ([last, last], {}, "'last' is named twice"),
        (["random"], {"deals": 1}, "deals=1"),
        (["random"], {"instructions": "onest"}, "no instructions 'onest'; the nearest are: honest"),
        (["random"], {"variant": "nosuch"}, "no variant of Cheat"),
    ],
)
def test_impossible_arguments_are_one_sentence(players: Any, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        deception(**{"variant": GAME, "players": players, "num_players": 2, **options})


def test_who_sat_at_no_table_has_no_figures() -> None:
    """With more players than seats at the few tables."""
    result = deception(GAME, ["random", *(f"scripted/{n}" for n in ("honest", "counter", "reckless"))], 2, deals=2)
    absent = [p for p in result.players if not p.claims.decisions]
    assert all(math.isnan(p.win_share.value) for p in absent)
