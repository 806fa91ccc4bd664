"""Messages: data that is put into words where it is shown."""

from __future__ import annotations

import pickle

import pytest

from ludus.errors import Fault, IllegalMove, ParseError, UserError, message_of
from ludus.messages import Message, render, verbatim
from ludus.messages.names import entry_names


def test_a_message_is_data_until_it_is_shown() -> None:
    inner = Message("faults.timeout")
    outer = Message("errors.at_place", line=1, column=2.5, problem=inner)
    assert str(outer) == "line 1, column 2.5: its time ran out before it answered"
    assert render(outer, "zh-Hant") == render(outer, "zh") == "第 1 行第 2.5 欄：還沒回答時間就用完了"
    assert Message.from_json(outer.json) == pickle.loads(pickle.dumps(outer)) == outer
    assert {outer, Message.from_json(outer.json)} == {outer}
    assert outer != Message("errors.at_place", line=1, column=3, problem=inner)


def test_lists_are_joined_as_the_language_does() -> None:
    several = Message("verbatim", text=["A1", Message("faults.memory"), 3])
    assert str(several) == "A1, it used more memory than allowed, 3"
    assert render(several, "zh-Hant") == "A1、使用的記憶體超過上限、3"
    assert Message.from_json(several.json) == several


def test_texts_of_others_are_shown_as_they_are() -> None:
    assert render(verbatim("{line} braces"), "zh-Hant") == "{line} braces"


@pytest.mark.parametrize(
    "error",
    [
        UserError("faults.crash"),
        IllegalMove("not there"),
        ParseError("what is this", 2, 3, "a.txt"),
        ParseError(Message("faults.memory")),
        Fault("timeout"),
        Fault("crash", Message("faults.memory"), 9),
    ],
)
def test_errors_keep_their_message_from_process_to_process(error: Exception) -> None:
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), str(copied)) == (type(error), str(error))
    assert message_of(copied) == message_of(error)


def test_a_player_that_takes_part_twice_has_its_name_twice() -> None:
    entries = {"greedy": "greedy", "greedy (2)": "greedy", "random:seed=1 (3)": "random:seed=1", "甲 (2)": "greedy"}
    assert list(entry_names(entries).values()) == ["Greedy", "Greedy (2)", "Random, seed 1 (3)", "甲 (2)"]
    assert list(entry_names(entries, "zh-Hant").values())[:2] == ["貪婪", "貪婪 (2)"]
