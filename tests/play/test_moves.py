"""Bare lists of moves: every way in which people write them, and what is refused."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.cli import main
from ludus.errors import ParseError
from ludus.play.moves import looks_like_moves, read_moves


def some_game(name: str, plies: int, **options: int) -> tuple[Any, list[str]]:
    chosen = random.Random(3)
    start = state = ludus.game(name, **options).initial(3)
    moves: list[str] = []
    while len(moves) < plies and state.outcome is None:
        moves.append(chosen.choice(state.legal_moves))
        state = state.play(moves[-1])
    return start, moves


def numbered(moves: list[str], number: str) -> str:
    pairs = [moves[at : at + 2] for at in range(0, len(moves), 2)]
    return " ".join(number.format(n) + " ".join(pair) for n, pair in enumerate(pairs, 1))


def test_every_way_to_write_it_is_the_same_game(name: str) -> None:
    start, moves = some_game(name, 9)
    ways = [
        " ".join(moves),
        ", ".join(moves),
        ",".join(moves),
        "; ".join(moves),
        "\n".join(moves),
        "\r\n".join(moves),
        "  \n".join(moves).lower(),
        numbered(moves, "{}. "),
        numbered(moves, "{}."),
        numbered(moves, "{}) "),
        f"1... {' '.join(moves)}",
        f"{moves[0]} {{a comment, 1-0}} {' '.join(moves[1:])}",
        f"{' '.join(moves)} *",
        f"{' '.join(moves)}\n1-0\n",
        f"{', '.join(moves)}, 1/2-1/2",
    ]
    for text in ways:
        assert looks_like_moves(text, ludus.game(name)), text
        record = read_moves(start, text)
        assert [played.move for played in record.moves] == moves, text
        assert record.outcome is None
        assert ludus.Record.parse(record.text).text == record.text


def test_a_whole_game_has_its_outcome(name: str) -> None:
    options = {"chain-reaction": {"rows": 3, "cols": 3}, "fruit-rage": {"size": 3}}.get(name, {})
    start, moves = some_game(name, 1000, **options)
    record = read_moves(start, " ".join(moves))
    assert record.outcome == record.final.outcome is not None
    assert read_moves(start, f"{' '.join(moves)} {record.result}").outcome == record.outcome
    wrong = "1-0" if record.result != "1-0" else "0-1"
    with pytest.raises(ParseError, match=f"by the rules the result of this game is {record.result}, not {wrong}"):
        read_moves(start, f"{' '.join(moves)} {wrong}")


def test_what_is_wrong_is_said_with_its_place() -> None:
    start = ludus.game("chain-reaction").initial()
    with pytest.raises(
        ParseError, match=r"line 2, column 4: move 3 \(by the first player\) is illegal: F5 belongs"
    ) as caught:
        read_moves(start, "1. A1 F5\n2. F5", "moves.txt")
    assert str(caught.value).startswith("moves.txt, ")
    with pytest.raises(ParseError, match="there must be nothing after the result, but there is 'A2'"):
        read_moves(start, "A1 F5 1-0 A2")
    with pytest.raises(ParseError, match=r"'\{' has no partner"):
        read_moves(start, "A1 { F5")
    with pytest.raises(ParseError, match="is not a cell of this board") as caught:
        read_moves(start, f"1. {'x' * 100_000}")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text",
    [
        *("", "garbage here", "nonsense", "....../....../....../....../......", "r1.b2./......", '[Game "cantris"]'),
        *("2\n3\n9.5\n01\n21", "1 2 3\n1 2 3", "12/34 1 0-0", "*", "{A1}"),
    ],
)
def test_other_texts_do_not_look_like_moves(text: str) -> None:
    assert not looks_like_moves(text)


@given(st.text(alphabet="AFaf12345.,;) {}*-/\n", max_size=60))
def test_reading_fails_with_a_sentence_only(text: str) -> None:
    with contextlib.suppress(ParseError):
        read_moves(ludus.game("chain-reaction").initial(), text)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "moves.txt"
    file.write_text("1. A1 F5\n2. A2, F4\n")
    for given_moves in (str(file), "1. A1 F5 2. A2 F4"):
        assert main(["analyse", "chain-reaction", given_moves, "--nodes", "500", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [entry["move"] for entry in told["moves"]] == ["A1", "F5", "A2", "F4"]
    assert main(["replay", str(file), "--game", "chain-reaction", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["moves"] == ["A1", "F5", "A2", "F4"]
    for command, remedy in (
        (["analyse"], f"use ludus analyse GAME {file}"),
        (["replay"], f"use ludus replay {file} --game GAME"),
    ):
        assert main([*command, str(file)]) == 2
        said = capsys.readouterr().err
        assert f"{file} is a list of moves and does not name its game; {remedy}" in said
    assert main(["analyse", "chain-reaction", "A1 A1"]) == 2
    assert "move 2 (by the second player) is illegal: A1 belongs to the opponent" in capsys.readouterr().err
