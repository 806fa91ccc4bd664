"""Finds out how a program for a person at a terminal is played, by trying.

Starts the program, reads its prompts, answers them in the likeliest ways, and believes what leads to legal moves on
both sides for some turns, in each seat. Where that fails it says why, as far as the program showed it.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.bots.console import reasons
from ludus.bots.console.session import Session, Tried
from ludus.bots.languages import language_of
from ludus.messages import Message
from ludus.play.clock import Clock
from ludus.protocols.console import (
    REFUSED,
    ConsoleScript,
    board_file,
    boards,
    filled,
    illegal_cell,
    script_fields,
    script_toml,
    shown_moves,
    turns,
    without_prompt,
)
from ludus.protocols.console.prompts import (
    BOARD_FILE,
    FEWEST_ENTRIES,
    INDEX_HINT,
    MOVE,
    TWICE,
    asks_for_setup,
    choices,
    key_of,
    listed_notations,
    may_ask_for_move,
    menu,
    notations,
    seat_arguments,
    setup_answers,
    templates,
)
from ludus.protocols.console.script import COLUMNS, Board, Moves, Notation, SeatArgument, TypedAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.game import Game, State
    from ludus.protocols.console.screen import Shown

MOST_SECONDS = 60.0
"""How long a script is looked for; what the program itself thinks about its moves is not counted."""
OTHER_BOARD_SECONDS = 10.0
"""The same for a program whose source names the size of another board."""
MOST_STARTS = 120
MOST_RESTARTS = 16
"""Starts for one question after which the ways to type a move are given up."""
SHORTEST_LIMIT, LONGEST_LIMIT = 12.0, 60.0
MOST_SLOW = 2
"""How often a program may take longer than it is allowed to before it is given up."""
FEW_GAMES = 6
"""Games after which what has served in one must serve in another one, too."""
CHANCES = 3
"""Starts after which a program is believed not to draw lots who begins."""
TURNS = 3
"""Turns of its own that must be found before a script is believed; fewer of a program that thinks for long."""
THINKS, THINKS_LONG = 2.0, 6.0
DEEPEST = 6
"""Questions before the first move."""
MOST_NOTATIONS = 60
"""Ways to type a move that are tried at a prompt."""
LIKELY_NOTATIONS = 6
"""Those of them that are tried first, where its own first move is not clear."""
MOST_BOARDS = 3000
"""Boards that are compared to find out where a move went."""
SIDES_OF_BOARD = ("top", "bottom")
LONGEST_PROMPT = 80
"""Characters of a prompt that a message quotes."""
LETTERS = re.compile(
    r"[-+=<>]\s?'[aAhH]'|\bord\s?\(|[aA]\W{0,6}[bB]\W{0,6}[cC]\W{0,6}[dD]\W{0,6}[eE]|[\"'][aA][\"']|\b(?:64|65|97)\b"
)
"""What a source has that reads letters: `c - 'A'`, `ord(c)`, "ABCDEFGH"."""

Path = tuple[tuple[str, str], ...]
"""Prompts, and what was typed there."""
ARGUMENT = "\0"
"""Stands for the prompt where a path begins with what the program is started with."""
Turn = tuple[str, ...]


class Reading(NamedTuple):
    """A way to find the program's own move on the screen: a text that shows it, or the drawn board."""

    text: Notation | None
    board: str | None = None


Readings = dict[Reading, Turn]


class Found(NamedTuple):
    """What plays in one seat."""

    seat: int
    path: Path
    enter: Notation
    turn: str
    readings: frozenset[Reading]
    few: bool = False
    """Whether it thinks for so long that fewer of its moves than usual were seen, or none."""


class Stopped(NamedTuple):
    """Where a dialogue stopped."""

    prompt: str
    dialogue: str
    """Its last lines."""
    path: Path


class Opened(NamedTuple):
    """A program that has been led to a prompt, and what it showed there."""

    session: Session
    shown: Shown


def _likeness(shown: Notation, enter: Notation) -> int:
    """Return how much a way to show moves is like one to type them: the same fields, counting and order."""
    fields = [re.findall(r"\{(\w+)\}", one.text.lower().replace("lower", "letter")) for one in (shown, enter)]
    order = [bool(found) and found[-1] in COLUMNS for found in fields]
    return (
        ((shown.count_from, shown.rows) == (enter.count_from, enter.rows)) * 2
        + (order[0] == order[1])
        + (sorted(fields[0]) == sorted(fields[1])) * 2
    )


def _similar(text: str) -> str:
    """Return a prompt without what changes from one time to the next: numbers, and whose turn it is."""
    return re.sub(r"\d+|[■□●○XO]\b", "#", text).strip()


def _shape(line: str) -> str:
    """Return what a typed line looks like, whatever its numbers and letters are."""
    return re.sub(r"\d+", "0", re.sub("[a-z]", "a", re.sub("[A-Z]", "A", line)))


class Search:
    """Looks for a script on one board."""

    _before_refusal: frozenset[Reading] | None = None
    """What had served until the program refused a legal move."""
    _lost_board = False
    """Whether the drawn board showed its first answer, and then no longer what its texts were taken for."""
    _cut = False
    """Whether a game was ended early, since the program thinks for long."""
    doubt = False
    """Whether the script was believed after fewer moves than usual."""
    _second_best: Found | None = None
    """What plays though that is so, for want of anything better."""

    def __init__(self, tried: Tried, game: Game, *, seconds: float = MOST_SECONDS) -> None:
        self._tried, self.start, self.board = tried, game.initial(1), Board.of(game)
        own = {name: file for name, file in tried.bot.files.items() if not re.search(r"(?:^|/)ludus_", name)}
        texts = {name: file.data.decode("utf-8", errors="replace") for name, file in own.items() if language_of(name)}
        self._sources: Mapping[str, str] = dict(sorted(texts.items(), key=lambda one: one[0] != tried.bot.main))
        sources = list(texts.values())
        random_board = game.initial(1).text != game.initial(2).text
        names = _board_files(sources) if random_board else []
        self._files = dict.fromkeys(names, board_file(self.start))
        self._arguments = _arguments(sources) if names else [()]
        self._told = seat_arguments(sources)
        self._letters = any(map(LETTERS.search, sources)) or not sources
        self._clock = Clock.parse(game.course.clock).per_move or LONGEST_LIMIT
        self._limit = min(max(1.5 * self._clock, SHORTEST_LIMIT), LONGEST_LIMIT)
        self._longest = 0.0
        """What a move of its own took at most in the game that was last played."""
        main = texts.get(tried.bot.main, "")
        self._size = reasons.fixed_size(main) if random_board else None
        """The size of the board that its source names."""
        other = self._size is not None and self._size != (self.board.rows, self.board.cols)
        self._until = time.monotonic() + (min(seconds, OTHER_BOARD_SECONDS) if other else seconds)
        self._starts = self._slow = self._games = 0
        self._slow_paths: list[Path] = []
        """Ways through the questions after which it thought for too long."""
        self._chooser = random.Random(1)
        self.log = ""
        """The dialogue that came farthest, or the last one."""
        self._farthest, self._stopped = -1, Stopped("", "", ())
        """How far that was, and where it stopped."""
        self._reasons: dict[str, Message] = {}
        """What was seen that may be why it cannot be played, by its kind."""
        self._board_seen = False
        """Whether it has drawn the board that it was given."""
        self._stop = False
        """Whether it is plain that there is no script."""
        self._known: frozenset[Reading] = frozenset()
        """The readings that served in the other seat."""
        self._taken: list[Notation] = []
        """Ways to type a move that the program took."""
        self._indexed = False
        """Whether cells may be named by one number."""
        self._turn, self._mute = 0, False
        """Whether the program drew the board with our move and did not answer: two people were to play."""
        self._typed, self._lines = "", list[str]()
        """What was typed for a move, and the lines of it that the program has read."""
        self._moved = list[str]()
        """The moves of the turn that was last typed."""
        self._went_to: str | None = None
        """The move that the program took what was typed for, where that was another one."""

    @property
    def over(self) -> bool:
        """Whether it has been tried for long enough."""
        return self._stop or time.monotonic() > self._until or self._starts > MOST_STARTS

    @property
    def sure(self) -> bool:
        """Whether another search would find the same: it did not end for want of time."""
        return self._stop or not self.over

    def run(self) -> ConsoleScript | None:
        """Return the script; None where none was found."""
        for arguments in self._arguments:
            found = self._seats(arguments)
            if len(found) == 1 and self._is_by_chance(next(iter(found.values())), arguments):
                self._reasons["chance"], self._stop = Message("protocols.console_chance"), True
                return None
            if found:
                found = self._with_slow_seat(found)
                self.doubt = any(one.few for one in found.values())
                return self._script(found, arguments)
        return None

    def _is_by_chance(self, found: Found, arguments: Sequence[str]) -> bool:
        """Return whether a program that was found in one seat only is in the other one when it is started again."""
        for _ in range(CHANCES):
            with ExitStack() as stack:
                opened = self._open(found.path, arguments, stack)
                if opened is None:
                    return False
                shown = opened.shown
                moved, waits = self._has_moved(shown), self._shows(shown, self.start)
                if moved if found.seat else waits and not self._readings(self.start, shown):
                    return True
        return False

    def _with_slow_seat(self, found: dict[int, Found]) -> dict[int, Found]:
        """Return what was found, with the other seat where the program only thought for too long there."""
        some = next(iter(found.values()))
        keys = [key for key, _ in some.path]
        paths = [path for path in self._slow_paths if path != some.path and [key for key, _ in path] == keys]
        if len(found) == 1 and some.seat == 1 and paths:  # it began to think before it was told a move: it moves first
            return {0: some._replace(seat=0, path=paths[0], few=True), 1: some}
        return found

    @property
    def why(self) -> Message:
        """Why no script was found."""
        other = self._size is not None and self._size != (self.board.rows, self.board.cols)
        for kind in KINDS:
            if kind in self._reasons and not (other and kind in CRASHES):
                return self._reasons[kind]
        if other and self._size is not None:
            return Message("protocols.console_size", rows=self._size[0], cols=self._size[1])
        if (window := reasons.window(self._sources)) is not None:
            return window
        prompt, dialogue, _ = self._stopped
        if not prompt:
            return Message("protocols.console_unknown")
        return Message("protocols.console_unknown_at", prompt=prompt[-LONGEST_PROMPT:], dialogue=dialogue)

    @property
    def proposal(self) -> str:
        """The lines for a bot.toml to begin with where no script was found: what was typed, and a guess at moves."""
        prompt, dialogue, path = self._stopped
        lettered = self.board.style != "pair"
        enter = notations(dialogue, prompt, lettered=lettered, letters_in_source=self._letters)[0]
        answers = [TypedAnswer(after=after, send=text) for after, text in path if after != ARGUMENT]
        told: list[str | SeatArgument] = [word for after, text in path if after == ARGUMENT for word in text.split()]
        made = ConsoleScript(files=list(self._files), arguments=told, answers=answers, enter=enter, board="top")
        return script_toml(made)

    # The questions before the first move.

    def _seats(self, arguments: Sequence[str]) -> dict[int, Found]:
        """Try the ways through the questions before the first move until both seats are found."""
        found: dict[int, Found] = {}
        waiting: list[Path] = [()]
        with_argument: list[Path] = [((ARGUMENT, text),) for text in self._told]
        not_understood: list[Path] = []
        without = ""
        while (waiting or with_argument) and not self.over and len(found) < 2:
            if not waiting:
                waiting, with_argument = with_argument, []
            path = waiting.pop(0)
            with ExitStack() as stack:
                opened = self._open(path, arguments, stack)
                if opened is None or self._has_other_board(opened.shown):
                    continue
                screen, text = opened.session.screen, opened.shown.text
                if not path:
                    without = text
                elif len(path) == 1 and path[0][0] == ARGUMENT and text == without:
                    continue  # the argument changes nothing
                tail, prompt = screen.tail, screen.prompt
                self._keep(opened.session, len(path), path)
                self._mute, won = False, None
                setup = asks_for_setup(tail, prompt) and not self._listed(opened.shown)
                if not setup or may_ask_for_move(tail, prompt):
                    won = self._play(opened, path, arguments, found)
            if won is not None:
                found[won.seat] = self._lighter(won, arguments, found)
                waiting += not_understood  # what is known now may help there
                not_understood = []
            elif MOVE.search(prompt) and not setup and not self._mute and not found:
                not_understood.append(path)
            unclear = not (won or self._mute or MOVE.search(prompt))
            if len(path) < DEEPEST and (setup or unclear) and won is None:
                more = [(*path, (key_of(prompt), answer)) for answer in setup_answers(text, prompt)]
                waiting = sorted([*waiting, *more], key=len)  # most programs ask little
        return found

    def _lighter(self, won: Found, arguments: Sequence[str], found: Mapping[int, Found]) -> Found:
        """Return the same with a smaller depth, where a program that asks for one thinks for too long."""
        for at, (key, answer) in enumerate(won.path):
            while self._heavy and DEPTH.search(key) and answer in LESS:
                answer = LESS[answer]  # noqa: PLW2901 - the next smaller one
                path = (*won.path[:at], (key, answer), *won.path[at + 1 :])
                others = {seat: one for seat, one in found.items() if seat != won.seat}
                with ExitStack() as stack:
                    opened = self._open(path, arguments, stack)
                    other = self._play(opened, path, arguments, others) if opened else None
                if other is None:
                    return won
                won = other
        return won

    @property
    def _heavy(self) -> bool:
        """Whether the program took more than half of its time in the last game."""
        return self._longest > self._clock / 2

    def _open(self, path: Path, arguments: Sequence[str], stack: ExitStack) -> Opened | None:
        """Start the program and answer its first questions; None where it does not come to wait for more."""
        if self.over:
            return None
        self._starts += 1
        told = [word for key, text in path if key == ARGUMENT for word in text.split()]
        session = Session(self._tried, (*arguments, *told), self._files, self._limit)
        stack.callback(session.close)
        self._thought(session)
        fields = script_fields(self.start)
        for number, (key, answer) in enumerate(path, 1):
            if key == ARGUMENT:
                continue
            shown = session.skip_pauses()
            if not session.waits:
                break
            session.type(filled(answer, fields))
            self._thought(session)
            if number == len(path) and self._asks_the_same(session, key, shown.text):
                return None
        shown = session.skip_pauses()
        if not session.waits:
            self._note_end(session, len(path) - 1, reasons.ANSWERS if path else reasons.NOTHING)
            if session.slow:
                self._slow_paths.append(path)
            return None
        return Opened(session, shown)

    def _thought(self, session: Session) -> None:
        """Do not count the time that the program thinks."""
        self._until += max(0.0, session.waited - 1.0)

    def _asks_the_same(self, session: Session, key: str, before: str) -> bool:
        """Return whether a question was not answered by what was typed, since it is asked again."""
        screen = session.screen
        again = session.waits and key_of(screen.prompt) == key
        return again and bool(REFUSED.search(screen.tail) or (choices(before) and menu(before) == menu(screen.text)))

    def _keep(self, session: Session, far: int, path: Path = ()) -> None:
        if far >= self._farthest:
            self._farthest, self.log = far, session.log
            if session.waits:
                self._stopped = Stopped(session.screen.prompt, session.screen.dialogue, path)

    def _note_end(self, session: Session, far: int, typed: int = reasons.MOVES) -> None:
        """Note how a program came to an end, or took too long, before it waited for a move."""
        self._keep(session, far)
        text, screen = session.log, session.screen
        if session.slow:
            slow = Message("protocols.console_slow", seconds=round(self._limit))
            self._reasons["slow"] = reasons.window(self._sources) or slow  # it may wait for a click
            self._slow += 1
            self._stop = self._stop or self._slow >= MOST_SLOW
        elif reasons.no_screen(text):
            self._reasons["window"] = reasons.window(self._sources) or Message("protocols.console_screen")
            self._stop = True
        elif screen.exit_status:
            if (why := reasons.crash(text, typed)) is not None:
                self._reasons[why.code] = reasons.window(self._sources) or why if why.code == MODULE else why
                self._stop = self._stop or why.code == MODULE
        elif typed != reasons.MOVES and ENDING.search(screen.text) and len(screen.text) > SHORTEST_GAME:
            self._reasons["alone"] = reasons.plays_alone(self._sources)

    def _has_other_board(self, shown: Shown) -> bool:
        """Return whether the program plays on another board than the one that it was given, by what it has drawn."""
        if not self._files or self._board_seen or (drawn := boards.numbered_board(shown.text)) is None:
            return False
        after: dict[Turn, State] = {(): self.start, **turns(self.start)}
        self._board_seen = any(boards.explained(shown.drawn, after, rows) is not None for rows in SIDES_OF_BOARD)
        if self._board_seen:
            return False
        rows, cols = len(drawn), len(drawn[0])
        if (rows, cols) == (self.board.rows, self.board.cols):
            self._reasons["board"] = reasons.own_board(self._sources)
        else:
            self._reasons["board"] = Message("protocols.console_size", rows=rows, cols=cols)
        self._stop = True
        return True

    # Moves.

    def _play(self, opened: Opened, path: Path, arguments: Sequence[str], found: Mapping[int, Found]) -> Found | None:
        """Try to play from a prompt, in each of the ways to type a move."""
        self._indexed = bool(INDEX_HINT.search(opened.session.screen.prompt))
        first = self._readings(self.start, opened.shown)
        moved = any(reading.board for reading in first)
        shows_start = self._shows(opened.shown, self.start)
        seats = [0] if self._has_moved(opened.shown) else [1, 0] if shows_start and not moved else [0, 1]
        fresh: Opened | None = opened
        for seat in seats:
            if seat in found or (seat == 0 and not first):
                continue
            self._mute, self._second_best = False, None
            won = self._play_seat(seat, fresh or opened, path, arguments, first if seat == 0 else {}, found, fresh)
            fresh = None
            if won is not None or self._second_best is not None:
                return won or self._second_best
        return None

    def _has_moved(self, shown: Shown) -> bool:
        """Return whether the last board that is drawn shows a first move: a program that has moved is not second."""
        after: dict[Turn, State] = {(): self.start, **turns(self.start)}
        return any(boards.explained(shown.drawn, after, rows) for rows in SIDES_OF_BOARD)

    def _play_seat(
        self,
        seat: int,
        opened: Opened,
        path: Path,
        arguments: Sequence[str],
        first: Readings,
        found: Mapping[int, Found],
        fresh: Opened | None,
    ) -> Found | None:
        known = found.get(1 - seat)
        self._known = known.readings if known else frozenset()
        if known is not None:  # how moves are typed and shown is the same in both seats; what its first move was is not
            for group in self._groups(first, known.readings) or [{}]:
                if won := self._try(seat, path, arguments, [known.enter], known.turn, group, fresh):
                    return won
                fresh = None
            return None
        hints, prompt = opened.shown.text.splitlines()[-24:], opened.session.screen.prompt
        lettered = self.board.style != "pair"
        ways = notations("\n".join(hints), prompt, lettered=lettered, letters_in_source=self._letters)
        ways.sort(key=lambda way: way not in self._taken)
        ways = self._listed(opened.shown) or ways
        modes = ["each"]
        if any(len(moves) > 1 for moves in turns(self.start)):
            modes = ["line", "each"] if TWICE.search(prompt) else ["each", "line"]
        for group in self._upside_down(first):  # its own first move may be read in two ways: which is right shows later
            if won := self._try(seat, path, arguments, ways[:LIKELY_NOTATIONS], modes[0], group, fresh):
                return won
            fresh = None
        for mode in modes:
            if won := self._try(seat, path, arguments, ways[:MOST_NOTATIONS], mode, first, fresh):
                return won
            fresh = None
        return None

    def _listed(self, shown: Shown) -> list[Notation]:
        """Return the ways to choose a move by its number in a list, where the screen ends with one of legal moves."""
        legal = {self.board.cell(move) for move in self.start.legal_moves}
        ways = listed_notations(shown.text, lettered=self.board.style != "pair")
        return [way for way in ways if len(legal & way.listed(shown.text, self.board).keys()) >= FEWEST_ENTRIES]

    def _upside_down(self, first: Readings) -> list[Readings]:
        """Return the readings of a first move from each end of the drawn board, where these disagree."""
        groups = [group for group in self._groups(first, frozenset()) if any(one.board for one in group)]
        return groups if len(groups) > 1 else []

    def _groups(self, first: Readings, known: frozenset[Reading]) -> list[Readings]:
        """Return the readings of a first move in groups that agree, those of the other seat first."""
        groups = [{one: own for one, own in first.items() if own == moves} for moves in dict.fromkeys(first.values())]
        return sorted(groups, key=lambda group: not known & group.keys())

    def _try(
        self,
        seat: int,
        path: Path,
        arguments: Sequence[str],
        ways: Sequence[Notation],
        mode: str,
        first: Readings,
        opened: Opened | None,
    ) -> Found | None:
        """Try some ways to type a move; one that the program refuses is followed by the next.

        `first` has the ways in which its first move was seen; it may begin with another move each time. `opened` is a
        program at this prompt, where one runs already.
        """
        remaining, restarts, again, sure = list(ways), 0, set[Notation](), set[Notation]()
        while remaining and not self.over and restarts <= MOST_RESTARTS:
            with ExitStack() as stack:
                if opened is None:
                    restarts += 1
                    opened = self._open(path, arguments, stack)
                if opened is None:
                    return None
                (session, shown), opened = opened, None
                own = self._readings(self.start, shown, frozenset(first)) if first else first
                if seat == 0 and not own:
                    return None
                asked, seen = _similar(session.screen.prompt), {line.strip() for line in shown.text.splitlines()}
                while remaining:
                    enter = remaining.pop(0)
                    readings = self._turns(session, seat, enter, mode, own)
                    self._games += 1
                    if readings and self._games > FEW_GAMES and enter not in sure:  # one in many may fit by chance
                        sure.add(enter)
                        remaining.insert(0, enter)
                        break
                    if not readings and self._turn and enter in again:  # not by chance: it refuses legal moves
                        readings = self._before_refusal
                    self._keep(session, len(path) + (10 if readings else 0), path)
                    if readings and not self._lost_board:
                        return Found(seat, path, enter, mode, readings, self._cut)
                    if readings:
                        self._second_best = self._second_best or Found(seat, path, enter, mode, readings, few=True)
                        break
                    if self._turn and enter not in again:  # some turns were understood: one may have been misread
                        again.add(enter)
                        remaining.insert(0, enter)
                        break
                    if self._mute:
                        self._taken.append(enter)
                        self._reasons["people"] = Message("protocols.console_people")
                        return None
                    remaining = self._sifted(remaining, session)
                    if not self._asks_again(session, asked, seen):
                        break
        return None

    def _sifted(self, ways: list[Notation], session: Session) -> list[Notation]:
        """Return the ways to type a move that may still be right after one was wrong."""
        if self._turn:
            return ways
        if self._went_to is not None:  # it shows where it took the move to be
            cell = self.board.cell(self._went_to)
            right = [way for way in ways if way.write(cell, self.board) == self._typed]
            return right or ways
        if session.waits or not self._lines or not reasons.cannot_read(session.log):
            return ways
        typed = [_shape(line) for line in self._lines]
        number, wanted = reasons.wanted_number(session.log, self._lines[-1]), typed[-1]
        some, at = self.board.cell(self.start.legal_moves[0]), len(typed)

        def may_be_read(way: Notation) -> bool:
            shapes = [_shape(line) for line in way.write(some, self.board).split("\n")]
            if shapes[: at - 1] != typed[:-1]:
                return True
            if number and " " in wanted:  # it reads the whole line as one number
                return len(shapes) >= at and shapes[at - 1] == "0"
            return shapes[:at] != typed and not (number and len(shapes) >= at and re.search("[Aa]", shapes[at - 1]))

        return [way for way in ways if may_be_read(way)]

    def _asks_again(self, session: Session, asked: str, seen: set[str]) -> bool:
        """Return whether the program did not take the first move, and asks for another one."""
        if self._turn or not session.waits or self._went_to is not None:
            return False
        screen = session.screen
        if _similar(screen.prompt) != asked:
            return (
                bool(REFUSED.search(screen.tail)) and MOVE.search(screen.prompt) is not None and "\n" not in self._typed
            )
        lines = {line.strip() for line in screen.text.splitlines()}
        return bool(REFUSED.search(screen.tail)) or len(lines - seen) <= 1

    def _turns(
        self, session: Session, seat: int, enter: Notation, mode: str, first: Readings
    ) -> frozenset[Reading] | None:
        """Play some turns; return the readings that found a legal move in each of them."""
        state, readings, self._turn, self._longest = self.start, None, 0, 0.0
        self._before_refusal, self._lost_board, self._cut = None, False, False
        people: State | None = self.start
        self._mute, self._went_to = False, None
        self._indexed = self._indexed or "{index}" in enter.text
        drawn = any(reading.board for reading in first)
        if seat == 0:
            state, readings = self._chosen(state, first, enter)
        for self._turn in range(TURNS):
            if state.outcome is not None:
                break
            before = state
            state, shown = self._type_turn(session, state, enter, mode)
            if state.outcome is not None:
                break
            people = after_moves(people, self._moved) if people is not None else None
            if self._turn and shown is not None and people is not None and self._shows(shown, people):
                self._mute = True  # the board has our moves only: two people were to play
                return None
            found = self._readings(state, shown, readings) if shown is not None else {}
            if not found:
                refused = session.waits and REFUSED.search(session.screen.text) and not self._shows_any(shown, state)
                drew = readings is not None and any(reading.board for reading in readings)
                self._before_refusal = readings if refused and drew else None
                return self._learn(session, before, state, shown)
            drawn = drawn or (self._turn == 0 and any(reading.board for reading in found))
            state, readings = self._chosen(state, found, enter)
            self._lost_board = drawn and not any(reading.board for reading in readings)
            self._longest = max(self._longest, session.waited)
            if session.waited > (THINKS_LONG if self._turn == 0 else THINKS) and self._turn < TURNS - 1:
                self._cut = True
                break
        return readings

    def _type_turn(self, session: Session, state: State, enter: Notation, mode: str) -> tuple[State, Shown | None]:
        """Type a random turn for the opponent; return the state after it, and what the program showed then."""
        side, texts, self._moved = state.side, list[str](), list[str]()
        while state.side == side and state.outcome is None:
            move = self._chooser.choice(self._telling(state.legal_moves))
            self._moved.append(move)
            typed = enter.typed(self.board.cell(move), self.board, session.screen.text)
            if typed is None:
                return state.play(move), None
            texts.append(typed)
            state = state.play(move)
        self._typed, self._lines = texts[0], []
        lines = [" ".join(texts)] if mode == "line" else [part for text in texts for part in text.split("\n")]
        for number, line in enumerate(lines, 1):
            session.skip_pauses()
            if not session.waits:
                return state, None
            session.type(line)
            self._lines.append(line)
            if session.waits and number < len(lines) and REFUSED.search(session.screen.tail):
                return state, None
        shown = session.skip_pauses()
        self._thought(session)
        return state, shown

    def _telling(self, moves: Sequence[str]) -> Sequence[str]:
        """Return moves in the left and in the right half in turn: a way to type them may be right in one half only."""
        half = [move for move in moves if (2 * self.board.cell(move).col < self.board.cols) == (self._turn % 2 == 0)]
        return half or moves

    def _learn(self, session: Session, before: State, state: State, shown: Shown | None) -> frozenset[Reading] | None:
        """Find out why the program's answer was not understood; a move against its rules is an answer as well."""
        if not session.waits:
            self._note_end(session, self._farthest)
        if shown is None:
            return None
        for rows in SIDES_OF_BOARD:
            if illegal_cell(state, shown, rows) is not None:
                return frozenset({Reading(None, rows)})
            self._mute = self._mute or (session.waits and self._is_drawn(shown, state, rows))
        if self._turn == 0 and not self._mute:
            self._went_to = self._elsewhere(before, shown)
        return None

    def _shows_any(self, shown: Shown | None, state: State) -> bool:
        """Return whether the screen shows our move, whatever came after it."""
        return shown is not None and self._shows(shown, state)

    def _shows(self, shown: Shown, state: State) -> bool:
        return any(self._is_drawn(shown, state, rows) for rows in SIDES_OF_BOARD)

    def _is_drawn(self, shown: Shown, state: State, rows: str) -> bool:
        return boards.explained(shown.drawn, {(): state}, rows) is not None

    def _elsewhere(self, before: State, shown: Shown) -> str | None:
        """Return the move that the drawn board shows instead of the one that was typed."""
        after: dict[Turn, State] = {(move,): before.play(move) for move in before.legal_moves}
        if len(after) ** 2 < MOST_BOARDS:
            pairs = [(moves, state) for moves, state in after.items() if state.outcome is None]
            after |= {(*moves, reply): state.play(reply) for moves, state in pairs for reply in state.legal_moves}
        for rows in SIDES_OF_BOARD:
            if (moves := boards.explained(shown.drawn, after, rows)) is not None:
                return moves[0]
        return None

    # What the screen shows.

    def _readings(self, state: State, shown: Shown, only: frozenset[Reading] | None = None) -> Readings:
        """Return the ways in which the screen shows a legal turn, and the moves of it."""
        after, found = turns(state), Readings()
        for rows in SIDES_OF_BOARD:
            if only is None or Reading(None, rows) in only:
                moves = boards.explained(shown.drawn, after, rows)
                if moves is not None:
                    found[Reading(None, rows)] = moves
        ended = without_prompt(shown.text)
        texts = [reading.text for reading in only if reading.text] if only is not None else self._notations(ended)
        for notation in texts:
            moves = shown_moves(state, ended, notation, self.board)
            if moves is not None and moves in after:
                found[Reading(notation)] = moves
        return found

    def _notations(self, text: str) -> list[Notation]:
        counts = ((1, "bottom"), (1, "top"), (0, "top"), (0, "bottom"))
        return [
            Notation(text=template, count_from=count_from, rows=rows)  # type: ignore[arg-type]
            for template in templates(text, indexed=self._indexed)
            for count_from, rows in counts
        ]

    def _chosen(self, state: State, found: Readings, enter: Notation) -> tuple[State, frozenset[Reading]]:
        """Believe the moves that most speaks for; return the state after them, and the readings that found them."""
        after = turns(state)

        def weight(moves: Turn) -> tuple[int, int]:
            group = [reading for reading, own in found.items() if after[own] == after[moves]]
            alike = max((_likeness(one.text, enter) for one in group if one.text), default=0)
            drawn = any(reading.board for reading in group)
            return 16 * bool(self._known & {*group}) + 8 * drawn + alike, len(group)

        best = after[max(found.values(), key=weight)]  # removing either of two equal tiles may come to the same
        return best, frozenset(reading for reading, own in found.items() if after[own] == best)

    def _script(self, found: dict[int, Found], arguments: Sequence[str]) -> ConsoleScript:
        some = found[min(found)]
        common = frozenset.intersection(*(one.readings for one in found.values()))
        alike = bool(common) and len({one.enter for one in found.values()}) == 1
        return ConsoleScript(
            files=list(self._files),
            arguments=[*arguments, *_seat_arguments(found)],
            answers=_answers({seat: one._replace(path=_typed(one.path)) for seat, one in found.items()}),
            **_moves(some.enter, common if alike else some.readings),
            second=None if alike else Moves(**_moves(found[1].enter, found[1].readings)),
            turn=some.turn,  # type: ignore[arg-type]
            seats="both" if len(found) == 2 else ("first", "second")[next(iter(found))],
        )


def _moves(enter: Notation, readings: frozenset[Reading]) -> dict[str, Any]:
    """Return how moves are typed and shown, by the best of the ways that served."""
    drawn = next((reading.board for reading in readings if reading.board), None)
    texts = [reading.text for reading in readings if reading.text]
    shows = max(texts, key=lambda one: (_likeness(one, enter), len(one.text)), default=None)
    return {"enter": enter, "shows": shows, "board": drawn}


def after_moves(state: State, moves: Sequence[str]) -> State | None:
    """Return the state after some moves; None where they cannot all be played."""
    for move in moves:
        if move not in state.legal_moves:
            return None
        state = state.play(move)
    return state


MODULE = "protocols.console_module"
DEPTH = re.compile(r"depth|深度|層|plies|look ?ahead", re.IGNORECASE)
LESS = {"3": "2", "2": "1"}
"""Depths, and the next smaller one."""
KINDS = (
    *(MODULE, "window", "board", "chance", "protocols.console_crash", "protocols.console_crash_line"),
    *("slow", "alone", "people"),
)
"""What may be why a program cannot be played, the surest first."""
CRASHES = ("protocols.console_crash", "protocols.console_crash_line")
"""Those that a program for a board of another size shows as well."""
SHORTEST_GAME = 600
"""Characters that a whole game fills at least."""
ENDING = re.compile(r"\bwins?\b|\bwon\b|\blose|\btie\b|\bdraw\b|game over|贏|輸|平手|結束", re.IGNORECASE)


def _typed(path: Path) -> Path:
    """Return what was typed, without what the program was started with."""
    return tuple(one for one in path if one[0] != ARGUMENT)


def _seat_arguments(found: dict[int, Found]) -> list[str | SeatArgument]:
    """Return what the program is started with in each seat."""
    first, second = (_told(found.get(seat) or found[1 - seat]) for seat in (0, 1))
    both = itertools.zip_longest(first, second)
    return [one if one == other and one else SeatArgument(first=one, second=other) for one, other in both]


def _told(found: Found) -> list[str]:
    return [word for key, text in found.path if key == ARGUMENT for word in text.split()]


def _answers(found: dict[int, Found]) -> list[TypedAnswer]:
    """Return the answers of both seats as one list."""
    if len(found) == 1:
        return [TypedAnswer(after=after, send=text) for after, text in next(iter(found.values())).path]
    first, second = found[0].path, found[1].path
    made: list[TypedAnswer] = []
    if len(first) == len(second) and all(a[0] == b[0] for a, b in zip(first, second, strict=True)):
        for (after, one), (_, other) in zip(first, second, strict=True):
            made.append(
                TypedAnswer(after=after, send=one)
                if one == other
                else TypedAnswer(after=after, first=one, second=other)
            )
        return made
    made += [TypedAnswer(after=after, first=text) for after, text in first]
    return made + [TypedAnswer(after=after, second=text) for after, text in second]


FILE_NAME = re.compile(r"[\"']([\w.-]{1,60}\.(?:txt|dat|in|csv))[\"']", re.IGNORECASE)
FIRST_ARGUMENT = re.compile(r"argv\s?\[\s?1\s?\]|args\s?\[\s?0\s?\]|argparse")


def _board_files(sources: Sequence[str]) -> list[str]:
    """Return the names under which a program may look for its board: those in its source, or the course's."""
    names = [name for source in sources for name in FILE_NAME.findall(source)]
    boards_first = sorted(dict.fromkeys(names), key=lambda name: "board" not in name.lower())
    return list(dict.fromkeys([*boards_first[:4], BOARD_FILE, "Board.txt"]))


def _arguments(sources: Sequence[str]) -> list[tuple[str, ...]]:
    asks = any(FIRST_ARGUMENT.search(source) for source in sources)
    return [(BOARD_FILE,), ()] if asks else [()]
