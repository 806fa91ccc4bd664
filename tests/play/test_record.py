"""Records: what is written is read again, what is wrong is refused with its place."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ludus
from ludus.files import write_whole
from ludus.messages import Message
from ludus.play.record import PlayedMove, Record

SMALL = """[Game "chain-reaction"]
[Options "rows=2 cols=2"]
[Start "../.. 1 0"]
[First "Ann \\"A\\" Lee"]
[Second "電腦"]
[Result "1-0"]

1. A1 {1.5s +0.25 a fine start} B2
2. A2 {just words} B1
3. A1 {+1}
1-0
"""


def game_record(name: str, seed: int = 3) -> Record:
    return ludus.play_match(ludus.game(name), ("random:seed=5", "greedy"), "3/move", seed=seed)


def test_a_game_of_every_kind_survives_its_text(name: str) -> None:
    record = game_record(name)
    again = Record.parse(record.text)
    assert again.text == record.text
    assert again.final == record.final
    assert again.outcome == record.outcome
    assert again.players == ("random:seed=5", "greedy")
    assert again.clock == "3/move"
    assert len(list(again.states())) == len(record.moves) + 1


def test_a_record_is_read_as_a_person_writes_it() -> None:
    record = Record.parse(SMALL.replace('[Result "1-0"]', "").replace("\n1-0\n", ""))
    assert record.outcome == ludus.Outcome(0)
    assert record.moves[0] == PlayedMove("A1", 1.5, 0.25, "a fine start")
    assert record.moves[2].comment == "just words"
    assert record.players == ('Ann "A" Lee', "電腦")
    assert record.headers == {}
    assert Record.parse(record.text).text == record.text


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(name: str) -> None:
    record = game_record(name)
    assert Record.parse("\ufeff" + record.text.replace("\n", "\r\n")).text == record.text


def test_a_start_for_the_second_player_is_numbered_so() -> None:
    start = ludus.game("chain-reaction").parse("r1./.. 2 1")
    record = Record(start, moves=[PlayedMove("B2"), PlayedMove("A2")])
    assert "1... B2\n2. A2" in record.text
    assert Record.parse(record.text).text == record.text


def test_other_headers_are_kept() -> None:
    record = Record(ludus.game("chain-reaction").initial(), headers={"Event": 'a "quoted"\nname \\ here'})
    assert Record.parse(record.text).headers == {"Event": 'a "quoted" name \\ here'}


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("2. A2", "2. B2", "line 9, column 4", "move 3 (by the first player) is illegal: B2 belongs to the opponent"),
        ("2. A2", "2. Z9", "line 9, column 4", "move 3 (by the first player) is illegal: 'Z9' is not a cell"),
        ('"chain-reaction"', '"go"', "line 1, column 8", "there is no game 'go'"),
        ('[Game "chain-reaction"]', "", "line 1, column 1", "a record must start with its game"),
        ("rows=2", "rows=99", "line 2, column 11", "option rows must be"),
        ("rows=2", "rows", "line 2, column 11", "an option must have the form name=value"),
        ("../..", "../.x", "line 3, column 13", "expected a cell"),
        ('"1-0"]', '"2-0"]', "line 11, column 1", "the record ends with 1-0, but its header says 2-0"),
        ("[First", "[[First", "line 4, column 1", "a header must have the form"),
        ("[Second", "[First", "line 5, column 1", "the header First appears twice"),
        ("B2\n", "B2 }\n", "line 8", "'}' has no partner"),
        ("\n1-0\n", "\n1-0 A1\n", "line 11, column 1", "there must be nothing after the result"),
        ("3. A1", "", "line 11, column 1", "by the rules this game is not over"),
        ('[Start "../.. 1 0"]', '[Seed "x"]', "line 3, column 8", "a seed must be a whole number"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(old: str, new: str, place: str, message: str) -> None:
    Record.parse(SMALL)
    assert old in SMALL
    with pytest.raises(ludus.ParseError) as error:
        Record.parse(SMALL.replace(old, new), "game.txt")
    assert str(error.value).startswith("game.txt, line ")
    assert place in str(error.value)
    assert message in str(error.value)


def test_a_result_against_the_rules_is_refused() -> None:
    with pytest.raises(ludus.ParseError, match="by the rules the result of this game is 1-0, not 0-1"):
        Record.parse(SMALL.replace("1-0", "0-1"))
    with pytest.raises(ludus.ParseError, match=r"line 2, column 10: a result must be 1-0, 0-1, 1/2-1/2 or \*"):
        Record.parse('[Game "chain-reaction"]\n[Result "2-0"]')


def test_a_game_can_end_before_its_rules_end_it() -> None:
    record = Record(ludus.game("chain-reaction").initial(), outcome=ludus.Outcome(1, "timeout"))
    again = Record.parse(record.text)
    assert again.outcome == ludus.Outcome(1, "timeout")


@given(st.text() | st.text(alphabet='[]"{}. \n\\ABgame12-/*+s').map(lambda text: '[Game "chain-reaction"]' + text))
@example('[Game "chain-reaction"]\n1. {')
@example('[Game "fruit-rage"][Options "size=26"]')
def test_any_text_gives_a_record_or_a_place(text: str) -> None:
    try:
        record = Record.parse(text)
    except ludus.ParseError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        assert error.column >= 1
    else:
        assert Record.parse(record.text).text == record.text


@given(st.data())
def test_damaged_records_give_a_record_or_a_place(data: Any) -> None:
    text = SMALL
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.text(max_size=3)) + text[at + data.draw(st.integers(0, 5)) :]
    test_any_text_gives_a_record_or_a_place.hypothesis.inner_test(text)  # type: ignore[attr-defined]


def test_saving_is_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    record = Record.parse(SMALL)
    record.save(path)
    assert Record.load(path).text == record.text
    path.chmod(0o640)
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert Record.load(path).text == record.text
    record.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640, "an existing file keeps its mode"
    assert [item.name for item in tmp_path.iterdir()] == ["game.txt"], "no leftovers"


def test_bytes_that_are_no_text_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_bytes(b'[Game "x"]\n\xff')
    with pytest.raises(ludus.ParseError, match="line 2, column 1: byte 0xff is not UTF-8 text"):
        Record.load(path)


def test_the_words_of_a_fault_do_not_double_without_end() -> None:
    """`bots.not_text` has a hole twice: forty of them in each other would take more memory than there is."""
    fault = Message("bots.not_text", place="a", key="b")
    for _ in range(40):
        fault = Message("bots.not_text", place="a", key=fault)
    data = json.dumps(fault.json).replace("\\", "\\\\").replace('"', '\\"')
    record = Record.parse(f'[Game "magnetic-cave"]\n[Fault "lost"]\n[FaultData "{data}"]\n')
    assert str(record.fault) == "lost"
