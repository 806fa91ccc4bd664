"""The terminal as a person sees it: boards with room and colour, and the real command at a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE
from python_games import SubtractionGame
from rich.text import Text

import ludus
from ludus.cli import words
from ludus.cli.terminal import LAYOUTS, differences, layout_for, picture, style_of
from ludus.cli.verbs.play import as_typed
from ludus.drawing.palette import ACCENTS, TONES
from ludus.drawing.text_board import Mark, TextBoard
from ludus.game import NativeGame, Outcome, Step, complete, read_move
from ludus.messages import render
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.play.narration import effects, ending
from ludus.play.record import Record

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")


def square(size: int, *, text: str = "7") -> TextBoard:
    labels = tuple(chr(ord("A") + index) for index in range(size))
    row = tuple(Mark(text, tone=index % 10) for index in range(size))
    return TextBoard((row,) * size, tuple(str(index + 1) for index in range(size)), labels)


def chain(position: str) -> TextBoard:
    game = ludus.game("chain-reaction")
    assert isinstance(game, NativeGame)
    assert game.look.board is not None
    return game.look.board(Step("place", (), 0, position))


# Drawing


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [1, 2, 10, 26])
def test_a_picture_has_the_size_that_its_layout_says(layout: Any, size: int) -> None:
    board = square(size)
    lines = picture(board, layout).plain.split("\n")
    width, height = layout.size(board)
    assert len(lines) == height
    assert max(map(len, lines)) == width


@pytest.mark.parametrize(("size", "columns"), [(26, 80), (26, 40), (10, 80), (10, 40)])
def test_large_boards_fit_the_terminal(size: int, columns: int) -> None:
    board = square(size)
    layout = layout_for(board, columns, 18)
    assert layout.size(board)[0] <= columns
    assert layout.right or columns == 40, "cells stand apart where there is room"


def test_the_first_screen_shows_a_large_board_and_a_narrow_one_a_smaller() -> None:
    board = chain("....../....../....../....../......")
    assert layout_for(board, 80, 18).rules
    assert layout_for(board, 80, 18).left == 2
    assert layout_for(board, 120, 40).lines == 3
    assert layout_for(board, 40, 18).size(board)[0] <= 40
    assert layout_for(board, 10, 5) == LAYOUTS[-1], "nothing fits: the smallest"


def test_a_board_keeps_its_width_through_a_game() -> None:
    boards = [chain(text) for text in ("../..", "r1./..", "r1r1/b1.")]
    assert len({LAYOUTS[1].size(board) for board in boards}) == 1


def test_orbs_are_told_apart_by_shape_and_those_about_to_explode_stand_out() -> None:
    board = chain("r1r1./b1b3./.b2#")
    marks = [mark.picture or mark.text for row in board.marks for mark in row]
    assert marks == ["(●)", "●", "·", "○", "(○○○)", "·", "·", "(○○)", "▒▒▒"]
    assert [mark.strong for row in board.marks for mark in row] == [mark[0] == "(" for mark in marks]


def test_colours_are_those_of_the_players_and_never_alone() -> None:
    plain = {"moved": False, "changed": False, "colour": True}
    for side in (0, 1):
        style = style_of(Mark("x", side=side), **plain)
        assert style.color is not None
        assert style.color.name == ACCENTS[side]
    assert style_of(Mark("x"), moved=True, changed=True, colour=False).reverse
    assert style_of(Mark("x"), moved=False, changed=True, colour=False).underline
    assert style_of(Mark("x"), moved=False, changed=True, colour=True).bgcolor is not None
    assert style_of(Mark("x", strong=True), **plain).bold
    tones = {style_of(Mark("x", tone=tone), **plain).bgcolor for tone in range(10)}
    assert len(tones) == len(set(TONES)) == 10


def test_the_accents_can_be_told_apart_without_seeing_red_or_green() -> None:
    """In the blue channel and in lightness, which every common kind of colour vision keeps."""
    (red, green, blue), (red_2, green_2, blue_2) = (
        tuple(int(accent[at : at + 2], 16) for at in (1, 3, 5)) for accent in ACCENTS
    )
    assert abs(blue - blue_2) > 100
    assert red > red_2
    assert green != green_2


def test_differences_are_the_cells_that_show_something_else() -> None:
    assert differences(chain("r1./.."), chain("r2./b1.")) == {(0, 0), (1, 0)}


# Words


def told(game: str, *steps: Step) -> str:
    return ", ".join(map(str, effects(ludus.game(game), steps)))


def test_what_a_move_did_is_told_in_words() -> None:
    cell = ((0, 0),)
    assert told("chain-reaction", Step("place", cell, 0, "")) == ""
    assert told("chain-reaction", Step("place", cell, 0, ""), Step("explode", cell, 0, "")) == "1 explosion"
    waves = (Step("explode", cell, 0, ""), Step("explode", cell * 3, 0, ""))
    assert told("chain-reaction", *waves) == "4 explosions in 2 waves"
    claim = (Step("claim", cell * 9, 81, ""), Step("fall", cell * 2, 0, ""))
    assert told("fruit-rage", *claim) == "a group of 9, +81 points"
    assert told("cantris", Step("remove", cell, 1, "")) == "+1 point"
    assert told("cantris", Step("remove", cell, 3, ""), Step("run", cell * 3, 6, "")) == "3 tiles popped, +9 points"
    assert told("magnetic-cave", Step("line", cell * 5, 0, "")) == "5 in a row"


def sentence(state: Any, outcome: Any, moves: int, reader: int | None = None) -> str:
    return str(ending(state, outcome, moves, reader))


def test_the_end_says_who_won_by_how_much_and_by_what_rule() -> None:
    class Points:
        game = ludus.game("chain-reaction")
        scores = (12, 11)

    points: Any = Points()
    final: Any = ludus.game("chain-reaction").parse("r2./.. 2 5")
    assert sentence(final, final.outcome, 1) == "Red wins. Blue has no orbs left. 1 move."
    assert sentence(points, Outcome(1, "timeout"), 9) == "Blue wins. Red ran out of time. 9 moves."
    assert sentence(points, Outcome(0, "illegal-move"), 9) == "Red wins. Blue played an illegal move. 9 moves."
    bare: Any = SubtractionGame().initial()
    points.game = complete(bare).game
    assert sentence(points, Outcome(0), 9) == "First wins 12 : 11. 9 moves."
    points.scores = (12, 12)
    assert sentence(points, Outcome(None), 9) == "Draw, 12 : 12. 9 moves."
    assert sentence(points, Outcome(1, "crash"), 9) == "Second wins. The program of First failed. 9 moves."
    assert sentence(points, Outcome(None, "agreed"), 9) == "Draw. Both players agreed to a draw. 9 moves."
    assert sentence(points, Outcome(1, "by lot"), 9) == "Second wins. Reason: by lot. 9 moves."


def test_a_player_is_told_whether_they_won_and_by_what_rule() -> None:
    over: Any = ludus.game("cantris").parse("1./2. 1 119-329 0")
    assert (
        sentence(over, over.outcome, 60, 0) == "You lost 119 : 329. A column is empty, so the game is over. 60 moves."
    )
    assert sentence(over, over.outcome, 60, 1) == "You won 329 : 119. A column is empty, so the game is over. 60 moves."
    line: Any = ludus.game("connect-four").parse("......./......./......./......./ooo..../xxxx... 2")
    assert sentence(line, line.outcome, 7, 0) == "You won! ● has 4 in a row. 7 moves."
    assert sentence(line, line.outcome, 7) == "● Full wins. ● has 4 in a row. 7 moves."
    assert render(ending(line, line.outcome, 7, 1), "zh") == "你輸了。●連成 4 個。共 7 手。"


def test_clocks_show_what_is_left_or_what_was_used() -> None:
    def shown(clock: str) -> str:
        match = Match(ludus.game("chain-reaction").initial(), clock=Clock.parse(clock))
        match.play("A1", 2.5)
        return words.clocks(match).plain

    assert shown("none") == "time used 2.5 s : 0.0 s"
    assert shown("3/move") == "time used 2.5 s : 0.0 s, 3 s per move"
    assert shown("100") == "time left 1:37 : 1:40"
    assert words.clocks(Match(ludus.game("chain-reaction").initial())) == Text()


# The real command at a pseudo-terminal


class Terminal:
    """A person's screen and keyboard: text without colours is collected, and waited for."""

    def __init__(self, *command: str | Path, columns: int = 80, lines: int = 24, **environment: str) -> None:
        self.hand, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        surroundings = {
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")
        }
        surroundings |= {"TERM": "xterm-256color", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ludus", *map(str, command)],
            stdin=other,
            stdout=other,
            stderr=other,
            env=surroundings,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - Ctrl-C needs the terminal
        )
        os.close(other)
        self.raw = ""
        self.seen = 0

    def text(self) -> str:
        return CONTROL.sub("", self.raw).replace("\r", "")

    def wait_for(self, wanted: str) -> str:
        """Read until a text comes that was not waited for before; gives what came up to it."""
        until = time.monotonic() + PATIENCE
        while True:
            text = self.text()
            at = text.find(wanted, self.seen)
            if at >= 0:
                before, self.seen = text[self.seen : at], at + len(wanted)
                return before
            if not self.more(until - time.monotonic()):
                raise AssertionError(f"{wanted!r} did not come; the screen showed\n{text[self.seen :]}")

    def more(self, seconds: float) -> bool:
        if seconds <= 0 or not select.select([self.hand], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.hand, 65536)
        except OSError:  # the other end is closed
            return False
        for _ in range(data.count(b"\x1b[6n")):  # where is the cursor? A terminal answers that
            os.write(self.hand, b"\x1b[1;1R")
        self.raw += data.decode(errors="replace")
        return bool(data)

    def type(self, keys: str) -> None:
        os.write(self.hand, keys.encode())

    def end(self) -> int:
        until = time.monotonic() + PATIENCE
        while self.more(until - time.monotonic()):
            pass
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.hand)


@pytest.fixture
def at_terminal() -> Iterator[Any]:
    open_ones: list[Terminal] = []

    def start(*command: str | Path, **settings: Any) -> Terminal:
        open_ones.append(Terminal(*command, **settings))
        return open_ones[-1]

    yield start
    for terminal in open_ones:
        terminal.close()


def test_a_game_at_the_terminal(at_terminal: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    screen = at_terminal("play", "chain-reaction", "--second", "greedy", "--no-animation")
    screen.wait_for("┌─────────┬")
    screen.wait_for("Red>")
    screen.wait_for("Type a move, or: moves")
    screen.type("a1\r")
    screen.wait_for("1. Red A1")
    screen.wait_for("│   (●)   │")
    screen.wait_for("2. Blue F1")
    screen.wait_for("save FILE")
    screen.type("f1\r")
    screen.wait_for("F1 belongs to the opponent")
    screen.wait_for("save FILE")
    screen.type("und")
    screen.wait_for("und")
    screen.type("\t")
    screen.wait_for("o")  # completed
    screen.type("\r")
    screen.wait_for("Took back 2 moves.")
    screen.wait_for("save FILE")
    screen.type("\x1b[A\x1b[A\x1b[A\r")
    screen.wait_for("1. Red A1")
    screen.wait_for("save FILE")
    screen.type(f"save {kept}\r")
    screen.wait_for("Saved 2 moves")
    screen.wait_for("save FILE")
    screen.type("quit\r")
    screen.wait_for("You left after 2 moves")
    assert screen.end() == 0
    assert "38;5;" in screen.raw, "the players have their colours"
    assert [played.move for played in Record.load(kept).moves] == ["A1", "F1"]


@pytest.mark.parametrize(("key", "status"), [("\x03", 130), ("\x04", 0)])
def test_ctrl_c_and_ctrl_d_leave_at_once(at_terminal: Any, key: str, status: int) -> None:
    screen = at_terminal("play", "chain-reaction", "--no-animation")
    screen.wait_for("save FILE")
    screen.type("a1\r")
    screen.wait_for("2. Blue")
    screen.wait_for("save FILE")
    screen.type(key)
    screen.wait_for("Continue with: ludus play chain-reaction --board '")
    assert screen.end() == status
    assert ("ludus: stopped" in screen.text()) == (status == 130)
    assert "Traceback" not in screen.text()


def test_without_colour_the_board_has_its_marks_and_no_colour(at_terminal: Any) -> None:
    screen = at_terminal(
        "play", "chain-reaction", "--first", "greedy", "--second", "greedy", "--no-animation", NO_COLOR="1"
    )
    assert screen.end() == 0
    assert "(○)" in screen.text()
    styles = set(re.findall(r"\x1b\[([0-9;]*)m", screen.raw))
    assert "1;7" in styles, "the last move is reversed"
    assert all(set(style.split(";")) <= {"", "0", "1", "4", "7"} for style in styles)


def test_a_chain_is_shown_step_by_step_and_each_step_is_short(at_terminal: Any) -> None:
    position = "r1r1./.../..b1 1 2"
    quick = at_terminal("play", "chain-reaction", "--board", position, "--second", "human", "--no-animation")
    slow = at_terminal("play", "chain-reaction", "--board", position, "--second", "human")
    for screen in (quick, slow):
        screen.wait_for("save FILE")
        screen.type("a1\r")
        screen.wait_for("1. Red A1: 1 explosion")
        screen.wait_for("save FILE")
        screen.type("\x04")
        assert screen.end() == 0
    assert "●●" not in quick.text().replace("(●●)", "")
    assert "●●" in slow.text().replace("(●●)", ""), "the orb is seen to be placed before the cell explodes"


def test_a_narrow_terminal_gets_a_board_that_does_not_wrap(at_terminal: Any) -> None:
    screen = at_terminal("play", "chain-reaction", "--no-animation", columns=40)
    board = screen.wait_for("Red to move")
    screen.wait_for("Type a move, or")
    assert max(len(line) for line in board.splitlines() if "│" in line) <= 40
    screen.type("\x04")
    assert screen.end() == 0


def test_replay_is_steered_with_keys(at_terminal: Any, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text('[Game "chain-reaction"]\n\n1. A1 F1 2. A2 F2 3. B1 F3 *\n')
    screen = at_terminal("replay", path, "--no-animation")
    screen.wait_for("0/6")
    for key, place in (("\r", "1/6"), ("n", "2/6"), ("\x1b[C", "3/6"), ("b", "2/6"), ("\x1b[D", "1/6")):
        screen.type(key)
        screen.wait_for(place)
    screen.type("g 5\r")
    screen.wait_for("5/6")
    screen.type("gx\rg99\r")
    screen.wait_for("The game is not over.")
    screen.wait_for("6/6")
    screen.type("nq")
    assert screen.end() == 0
    again = at_terminal("replay", path)
    again.wait_for("0/6")
    again.type("\x03")
    assert again.end() == 130


@pytest.mark.parametrize(
    "typed",
    [
        "7 3",
        "７　３",
        "(7,3)",
        "【7，3】",
        "7、3",
        "[7][3]",
        "７，３。",
        "row=7 col=3",
        "7-3",
        "R7C3",
        "第7列第3行",
        "7;3",
        "{7:3}",
    ],
)
def test_a_move_that_was_typed_in_a_hurry_is_read(typed: str) -> None:
    assert read_move(ludus.game("cantris", rows=8, cols=4).initial(1), as_typed(typed)) == "7,3"


def test_what_is_no_pair_of_numbers_stays_as_it_is() -> None:
    assert as_typed(" C4. ") == "C4"
    assert as_typed("-1 2") == "-1 2"
    assert as_typed("pass") == "pass"


def test_resuming_what_was_never_begun_asks(at_terminal: Any, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('game = "cantris"\n[entries]\na = "greedy"\nb = "random:seed=1"\n')
    for answer, status, begun in (("n", 130, False), ("y", 0, True)):
        terminal = at_terminal("tournament", tmp_path / "cup.toml", "--resume", "--jobs", "1")
        terminal.wait_for("Play from the beginning? [y/N]")
        terminal.type(f"{answer}\r")
        assert terminal.end() == status
        assert (tmp_path / "cup.db").exists() == begun
