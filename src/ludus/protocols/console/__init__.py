"""`console`: a program for a person at a terminal, with prompts, menus and drawn boards, played by a script.

The shim runs it on a pseudo-terminal and reports what appears there; the script says what is typed at which prompt,
how the other's move is typed, and how the program shows its own. A `Dialogue` is one such game: it decides what is
typed next and finds the moves. Knows no processes; `ludus.bots.console` finds scripts by trying.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ludus.errors import Fault
from ludus.messages import Message
from ludus.protocols import BotProtocol, Exchange, Source, legal, shim
from ludus.protocols.console import boards
from ludus.protocols.console.screen import ENDED, Screen, Shown
from ludus.protocols.console.script import Board, Cell, ConsoleScript, Notation, script_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ludus.game import State
    from ludus.play.player import Situation

SHIM = "ludus_console.py"
GO = '{"go": 1}'
"""Has the shim report how the program stands."""
MOST_TYPED = 40
"""Lines that are typed for one move before the program is given up."""
CONTINUE = re.compile(
    r"press|any key|hit enter|enter to|to continue|<enter>|\[enter\]|pause|任意鍵|按下|繼續|Enter 鍵|按 ?enter",
    re.IGNORECASE,
)
"""What a program says that waits for a key."""
CONFIRM = re.compile(
    r"\bare you sure\b|\bconfirm|\b(?:is|are) th(?:is|at|ese) (?:correct|ok|right)\b|確定|確認", re.IGNORECASE
)
"""What a program says that wants a move confirmed."""
YES = re.compile(r"(?<![A-Za-z])(yes|y)(?![A-Za-z])", re.IGNORECASE)
REFUSED = re.compile(
    r"invalid|illegal|not (?:a )?(?:valid|legal|allowed|possible)|can(?:'t|not)|wrong|error|try again|occupied|out of"
    r"|retry|re-?enter|unknown|不合法|無效|錯誤|重新|不能|不可|非法|失敗",
    re.IGNORECASE,
)
"""What a program says that does not take a move."""
AGAIN = re.compile(
    r"(?:play|another|new) (?:it )?(?:again|game|round)|\bagain\s?\?|再玩|再來一|重新開始|game over", re.IGNORECASE
)
"""What a program says for which the game is over."""

OVER = re.compile(r"\bwins?\b|\bwinner\b|\bwon\b|\bloses?\b|\btie\b|\bdraw\b|game over|贏|輸|平手", re.IGNORECASE)
"""What a program says when it ends a game."""
WINDOW = re.compile(r"^[^\S\n]*+(?:import|from)[^\S\n]++(pygame|[Tt]kinter)\b", re.MULTILINE)
"""Libraries whose windows are shown as text here."""
READS = re.compile(
    r"\bcin\s?>>|\bscanf(?:_s)?\s?\(|getline\s?\(\s?(?:std::)?cin|\bfgets\s?\([^;\n]{0,80}stdin|\bgetchar\s?\(|\bgets\s?\("
    r"|System\.in\b|System\.console\s?\(|\bConsole\.Read(?:Line|Key)?\s?\(|\binput\s?\(|\braw_input\s?\(|sys\.stdin"
    r"|process\.stdin|\.question\s?\(|require\([\"'](?:node:)?readline|prompt-sync"
)
PROMPTS = re.compile(
    r"[\"'`][^\"'`\n]{0,200}(?:\b(?:enter|input|choose|select|your (?:move|turn)|who (?:starts|plays|goes)|play again"
    r"|order|press|first or second|player|to move|colou?r|computer|menu|mode|which"
    r"|choices?|row|column|y/n)\b|輸入|請選擇|先手|後手|玩家|選擇)",
    re.IGNORECASE,
)
ASKED = re.compile(r"\b(?:raw_)?input\s?\(\s?[rfbuRFBU]{0,2}[\"'][^\"'\n]{0,80}\w")
"""A prompt in Python: a program that no person uses has none."""
SEAT_NAME = re.compile(r"[\"'](?:first|second)[\"']")
ARGUMENT = re.compile(r"\bargv\b|\bargs\s?(?:\[|\.length|\.Length)|\bargparse\b")
"""A program for `lines` asks which of these names its argument is; one for a person may ask the person."""
MAIN = re.compile(r"\b[Mm]ain\s?\([^(){};\n]{0,40}(?:[Ss]tring\s?(?:\[\s?\]|\.\.\.)|char\s?\*\s?\*?)\s?(\w{1,40})")
"""The arguments of a program in Java, C#, C or C++, which may have any name."""
ASKS_FOR_MOVES = re.compile(
    r"[\"'`][^\"'`\n]{0,60}\b(?:enter|input|type)\b[^\"'`\n]{0,60}[:?>]\s?[\"'`]", re.IGNORECASE
)
"""What only a program for a person says, though an argument may tell it its seat."""


def passing(prompt: str) -> str | None:
    """Return what is typed at a prompt that asks for nothing new: Enter, or yes, the move is meant; None at another."""
    if CONTINUE.search(prompt):
        return ""
    if CONFIRM.search(prompt) and (said := YES.search(prompt) or "?" in prompt):
        return said[1] if isinstance(said, re.Match) else "y"
    return None


class Console(BotProtocol):
    """A person's terminal, played by a script."""

    name = "console"
    greeting: tuple[Exchange, ...] = (Exchange("ready", "ready"),)
    rank = 90
    hears_early = True
    knows_positions = False
    free_start_seconds = 5.0

    def sign(self, source: Source) -> Message | None:
        """Look for a program that asks a person: it reads standard input and shows prompts."""
        if _is_told_its_seat(source.text):
            return None
        if source.language == "python" and (window := WINDOW.search(source.text)) is not None:
            return Message("bots.draws_a_window", library=window[1])
        if not READS.search(source.text):
            return None
        asks = PROMPTS.search(source.text) or ASKED.search(source.text)
        return Message("bots.asks_a_person") if asks else None

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:  # noqa: ARG002 - the script says it
        """Let the shim start it on a terminal."""
        return ("python3", "-I", SHIM, *run)

    def files(self) -> Mapping[str, str]:
        """Return the shim."""
        return {SHIM: shim(SHIM)}


class Dialogue(Console):
    """One game with a program, by its script."""

    def __init__(self, script: ConsoleScript, start: State, side: int) -> None:
        self.script, self._how = script, script.moves(side)
        self.screen = Screen()
        self._board = Board.of(start.game)
        self._side = side
        self._fields = script_fields(start)
        texts = [(answer.after.lower(), answer.text(side)) for answer in script.answers if not answer.always]
        self._pending = [(after, filled(text, self._fields)) for after, text in texts if text is not None]
        self._start = json.dumps({"start": dict.fromkeys(script.files, board_file(start))})
        self._moves: list[tuple[str, str]] = []
        """What is to be typed of the opponent's moves, with the moves."""
        self._own: list[str] = []
        """Moves of its own that were found and not yet asked for: the second of a turn."""
        self._shown, self._reply, self._last_told = Shown(), "", ""
        self._typed = 0
        if self._pending or side == 1:  # it waits for us before it thinks, so its start is not charged
            self.greeting = (*self.greeting, Exchange(self._start, ('{"waits"', '{"ended"')))
            self._start = GO

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:
        """Add the arguments of the script."""
        return (*super().command(run, side), *self.script.given(side))

    def hear(self, line: str) -> None:
        """Take what it shows before the clock runs."""
        self.screen.report(line)

    def ask(self, situation: Situation, known: int) -> str:
        """Take in what the opponent played, and have the program's state reported."""
        if not self.script.plays(self._side):
            code = "protocols.console_not_second" if self._side else "protocols.console_not_first"
            raise Fault("no-answer", Message(code))
        self._typed = 0
        self._take_in([move for by, move in situation.moves[known:] if by != self._side])
        said, self._start = self._start, GO
        return said + "\n"

    def _take_in(self, moves: Sequence[str]) -> None:
        """Put what must be typed for the opponent's moves into the queue."""
        if not moves:
            return
        self._shown = Shown()
        if self._how.enter.of_list:
            self._moves += [("", move) for move in moves]
            self._own = []
            return
        texts = [self._how.enter.write(self._board.cell(move), self._board) for move in moves]
        if self.script.turn == "line":
            texts = [" ".join(texts)]
            moves = [" ".join(moves)]
        self._moves += [(part, move) for text, move in zip(texts, moves, strict=True) for part in text.split("\n")]
        self._own = []

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:  # noqa: ARG002 - all is tolerated
        """Take a report; when the program waits, find its move or decide what is typed."""
        self._reply = ""
        if not self.screen.report(line):
            return None
        if self._own:
            return self._own.pop(0)
        own = None if self._moves else self._find(situation.state)
        if own:
            self._own = list(own[1:])
            return own[0]
        if not self._moves:
            self._refuse_illegal(situation.state)
        if self.screen.status == ENDED:
            if not self.screen.exit_status and OVER.search(self.screen.tail):
                raise Fault("no-answer", Message("protocols.console_over", dialogue=self.screen.dialogue))
            raise self.screen.ended()
        self._reply = self.screen.typed(self._next())
        return None

    def reply(self) -> str:
        """Return what is typed next."""
        said, self._reply = self._reply, ""
        return said

    def _next(self) -> str:
        """Return what is typed at the prompt; it is a fault to have nothing to type."""
        self._typed += 1
        dialogue = self.screen.dialogue
        if self._typed > MOST_TYPED:
            raise Fault("bad-output", Message("protocols.console_asks_on", count=MOST_TYPED, dialogue=dialogue))
        tail = self.screen.tail.lower()
        for number, (after, text) in enumerate(self._pending):
            if after in tail:
                del self._pending[: number + 1]
                return text
        for answer in self.script.answers:
            if answer.always and answer.after.lower() in tail and (said := answer.text(self._side)) is not None:
                return filled(said, self._fields)
        if self._last_told and REFUSED.search(tail):
            raise Fault("bad-output", Message("protocols.console_refused", move=self._last_told, dialogue=dialogue))
        if (said := passing(self.screen.prompt)) is not None:
            self._shown = self._shown.then(self.screen.shown)
            return said
        if AGAIN.search(self.screen.prompt):
            raise Fault("bad-output", Message("protocols.console_over", dialogue=dialogue))
        if self._moves:
            text, self._last_told = self._moves.pop(0)
            self._pending.clear()
            if self._how.enter.of_list:
                cell, shown = self._board.cell(self._last_told), self._shown.then(self.screen.shown)
                typed = self._how.enter.typed(cell, self._board, shown.text)
                if typed is None:
                    raise Fault("bad-output", Message("protocols.console_not_listed", move=self._last_told))
                return typed
            return text
        if self._last_told and REFUSED.search(self.screen.text):
            raise Fault("bad-output", Message("protocols.console_refused", move=self._last_told, dialogue=dialogue))
        raise Fault("bad-output", Message("protocols.console_no_move", dialogue=dialogue))

    def _find(self, state: State) -> tuple[str, ...] | None:
        """Return the move that the screen shows, or the moves of a whole turn."""
        shown, script, found = self._shown.then(self.screen.shown), self._how, None
        texts_first = script.shows is not None and not script.shows.bare  # bare numbers may mean anything
        for by_text in (True, False) if texts_first else (False, True):
            if by_text and script.shows is not None:
                found = found or shown_moves(state, without_prompt(shown.text), script.shows, self._board)
            elif not by_text and script.board is not None:
                found = found or boards.explained(shown.drawn, turns(state), script.board)
        if found is not None:
            self._last_told = ""
        return found

    def _refuse_illegal(self, state: State) -> None:
        """Fault a move against the rules that the drawn board shows: a piece where none may be put."""
        rows = self._how.board
        if rows is not None and (cell := illegal_cell(state, self._shown.then(self.screen.shown), rows)):
            legal(state, self._board.move(cell))


def illegal_cell(state: State, shown: Shown, rows: str) -> Cell | None:
    """Return the cell on which a drawn board shows the mover's piece against the rules; None where it shows none."""
    if state.game.name != "magnetic-cave":  # the games in which a move is one piece, which stays
        return None
    cell = boards.one_more(state, shown.drawn, rows)
    return Cell(*cell) if cell and Board.of(state.game).move(Cell(*cell)) not in state.legal_moves else None


def may_ask_a_person(sources: Iterable[str]) -> bool:
    """Return whether sources may be of a program for a person: it reads standard input, and no seat by argument.

    One that is told its seat may be, too, where it asks for input in words.
    """
    texts = list(sources)
    told = any(map(_is_told_its_seat, texts)) and not any(map(ASKS_FOR_MOVES.search, texts))
    return any(map(READS.search, texts)) and not told


def _is_told_its_seat(text: str) -> bool:
    return SEAT_NAME.search(text) is not None and ARGUMENT.search(with_usual_names(text)) is not None


def with_usual_names(text: str) -> str:
    """Return a source in which the arguments that main reads are called `args`, or in C and C++ `argv`."""
    if (named := MAIN.search(text)) is None:
        return text
    usual = "argv" if "char" in named[0] else "args"
    read = re.compile(rf"\b{named[1]}(?=\s?(?:\[|\.[Ll]ength))")
    return text[: named.end()] + read.sub(usual, text[named.end() :])


EXAMPLE = re.compile(r"\be\.? ?g\b|\bex(?:ample)?\b|\bsuch as\b|\bformat\b|例如|格式", re.IGNORECASE)
"""What a line says that shows how a move is typed, and not which one was played."""


def without_prompt(text: str) -> str:
    """Return a screen without the line that is not ended, and without examples: neither shows a move of the game."""
    whole, newline, _ = text.rpartition("\n")
    return "".join(line for line in (whole + newline).splitlines(keepends=True) if not EXAMPLE.search(line))


def shown_moves(state: State, text: str, notation: Notation, board: Board) -> tuple[str, ...] | None:
    """Return the moves of a turn that a notation finds in a text: the last ones that are legal."""
    names = [board.move(cell) for cell in notation.read(text, board) if 0 <= cell.row < board.rows and cell.col >= 0]
    for last in range(len(names), 0, -1):
        second = names[last - 2 : last] if last > 1 else []
        if len(second) == 2 and second[0] in state.legal_moves:
            after = state.play(second[0])
            if after.side == state.side and after.outcome is None and second[1] in after.legal_moves:
                return tuple(second)
        if names[last - 1] in state.legal_moves:
            return (names[last - 1],)
    return None


def turns(state: State) -> dict[tuple[str, ...], State]:
    """Return the states that a turn can lead to, by its moves."""
    found: dict[tuple[str, ...], State] = {}
    for move in state.legal_moves:
        after = state.play(move)
        if after.side != state.side or after.outcome is not None:
            found[(move,)] = after
        else:
            found |= {(move, second): after.play(second) for second in after.legal_moves}
    return found


def board_file(start: State) -> str:
    """Return the board as the course's file has it: a row a line, from the top, with blanks between."""
    return "".join(" ".join(row) + "\n" for row in boards.cells_of(start))


def script_fields(start: State) -> dict[str, str]:
    """Return what an answer of a script can name: the size of the board, and the board itself, row by row."""
    options = {name: str(value) for name, value in start.game.options.items()}
    return options | {"board": board_file(start).rstrip("\n")}


BY_SIZE = re.compile(r"\{(\d{1,2}x\d{1,2}:[^{}|:]*+(?:\|\d{1,2}x\d{1,2}:[^{}|:]*+)*+)\}")
"""`{6x3:1|8x4:2}`: what is typed for a board of each size."""


def filled(text: str, fields: Mapping[str, str]) -> str:
    """Return an answer with the values of its fields, such as `{rows}`, and with what it has for the board's size."""
    for name, value in fields.items():
        text = text.replace(f"{{{name}}}", value)
    size = f"{fields.get('rows')}x{fields.get('cols')}"
    return BY_SIZE.sub(lambda found: dict(one.split(":") for one in found[1].split("|")).get(size, ""), text)


def tells_start(script: ConsoleScript | None, start: State) -> bool:
    """Return whether a game can start here: on the usual board, or on one that the program reads from a file."""
    if start.text == start.game.initial(0).text:
        return True
    random_board = start.game.initial(0).text != start.game.initial(1).text
    side, points = [*start.text.split(" "), "1", "0-0"][1:3]
    full = not any(boards.EMPTY in row for row in boards.cells_of(start))
    told = script is None or bool(script.files) or any("{board}" in (one.text(0) or "") for one in script.answers)
    return random_board and full and (side, points) == ("1", "0-0") and told


PROTOCOL = Console()

__all__ = ["PROTOCOL", "Console", "ConsoleScript", "Dialogue", "script_toml", "tells_start"]
