"""Finds out how a program for a person at a terminal is played, by trying.

Starts the program, reads its prompts, answers them in the likeliest ways, and believes what leads to legal moves on
both sides for some turns, in each seat. Where that fails, its `Diagnosis` says why.
"""

from __future__ import annotations

import random
import re
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludus.bots.console import reasons
from ludus.bots.console.diagnosis import Diagnosis
from ludus.bots.console.hints import Hints
from ludus.bots.console.readings import Reader, Readings, draws
from ludus.bots.console.replies import Question, Reply
from ludus.bots.console.typed_game import TypedGame, similar
from ludus.bots.console.writing import Approach, Found, proposed_script, script_of
from ludus.messages import Message
from ludus.play.clock import Clock
from ludus.protocols.console import REFUSED, ConsoleScript, board_file, filled, script_fields, script_toml, turns
from ludus.protocols.console.prompts import (
    INDEX_HINT,
    MOVE,
    TWICE,
    asks_for_setup,
    choices,
    key_of,
    last_lines,
    may_ask_for_move,
    menu,
    notations,
    setup_answers,
)
from ludus.protocols.console.script import Notation, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ludus.bots.console.session import Session, TriedProgram
    from ludus.game import Game
    from ludus.protocols.console.screen import Shown

MOST_SECONDS = 60.0
"""How long a script is looked for; what the program itself thinks about its moves is not counted."""
OTHER_BOARD_SECONDS = 10.0
"""The same for a program whose source names the size of another board."""
MOST_STARTS = 120
MOST_RESTARTS = 16
"""Starts for one question after which the ways to type a move are given up."""
SHORTEST_LIMIT, LONGEST_LIMIT = 12.0, 60.0
FEW_GAMES = 6
"""Games after which what has served in one must serve in another one, too."""
CHANCES = 3
"""Starts after which a program is believed not to draw lots who begins."""
DEEPEST = 6
"""Questions before the first move."""
MOST_NOTATIONS = 60
"""Ways to type a move that are tried at a prompt."""
LIKELY_NOTATIONS = 6
"""Those of them that are tried first, where its own first move is not clear."""
HINT_LINES = 24
"""Lines of the screen that may say how a move is typed."""
PLACE_LINES = 4
"""Lines of the screen by which a question is known again."""
REACHED = 10
"""By how many questions a dialogue with moves came farther than one without."""
DEPTH = re.compile(r"depth|深度|層|plies|look ?ahead", re.IGNORECASE)
LESS = {"3": "2", "2": "1"}
"""Depths, and the next smaller one."""


@dataclass
class Opened:
    """A program that has been led to a prompt, and what it showed there."""

    way: Approach
    session: Session
    prompt: str
    shown: Shown
    used: bool = False
    """Whether moves were typed since."""


class Search:
    """Looks for a script on one board."""

    doubt = False
    """Whether the script was believed after fewer moves than usual."""

    def __init__(self, program: TriedProgram, game: Game, *, seconds: float = MOST_SECONDS) -> None:
        self._program, self._reader = program, Reader(game.initial(1))
        self._hints = Hints.of(program.bot, game)
        self._files = dict.fromkeys(self._hints.files, board_file(self._reader.start))
        self._fields = script_fields(self._reader.start)
        self._clock = Clock.parse(game.course.clock).per_move or LONGEST_LIMIT
        self._limit = min(max(1.5 * self._clock, SHORTEST_LIMIT), LONGEST_LIMIT)
        self.diagnosis = Diagnosis(self._hints, self._reader, self._limit)
        self._until = time.monotonic() + (min(seconds, OTHER_BOARD_SECONDS) if self._hints.other_size else seconds)
        self._choice = random.Random(1)
        self._games = 0
        self._slow_ways: list[Approach] = []
        """Ways through the questions after which it thought for too long."""
        self._taken: list[Notation] = []
        """Ways to type a move that the program took."""
        self._mute, self._longest = False, 0.0
        """Whether the program left both sides to us in the last game, and what a move of its own took at most there."""
        self._replies: dict[object, set[Reply]] = {}
        """What it replied to moves at each question where none served."""
        self._as_before = False
        """Whether it replied to the last moves as it did at a question before."""
        self._second_best: Found | None = None
        """What plays though the board contradicts it, for want of anything better."""

    @property
    def over(self) -> bool:
        """Whether it has been tried for long enough."""
        late = time.monotonic() - self._program.thought > self._until
        return self.diagnosis.final or late or self._program.starts > MOST_STARTS

    @property
    def sure(self) -> bool:
        """Whether another search would find the same: it did not end for want of time."""
        return self.diagnosis.final or not self.over

    @property
    def proposal(self) -> str:
        """The lines for a bot.toml to begin with where no script was found: what was typed, and a guess at moves."""
        prompt, dialogue, way = self.diagnosis.stopped
        return script_toml(proposed_script(way, self._notations(dialogue, prompt)[0], self._files))

    def _notations(self, screen: str, prompt: str) -> list[Notation]:
        return notations(screen, prompt, lettered=self._reader.lettered, letters_in_source=self._hints.letters)

    def run(self) -> ConsoleScript | None:
        """Return the script; None where none was found."""
        for files in self._hints.file_arguments:
            found = self._seats(files)
            if len(found) == 1 and self._is_by_chance(*found.values()):
                self.diagnosis.note("chance", Message("protocols.console_chance"), final=True)
                return None
            if found:
                found = self._with_slow_seat(found)
                self.doubt = any(one.few for one in found.values())
                if self._hints.other_size and (
                    self.doubt or len(found) < 2
                ):  # part of this board is as large as its own
                    return None
                return script_of(found, self._files)
        return None

    def _is_by_chance(self, found: Found) -> bool:
        """Return whether a program that was found in one seat only is in the other one when it is started again."""
        reader = self._reader
        for _ in range(CHANCES):
            with self._open(found.way) as opened:
                if opened is None:
                    return False
                shown = opened.shown
                if found.seat == 1 and reader.has_moved(shown):
                    return True
                if found.seat == 0 and reader.shows(shown, reader.start) and not reader.read(reader.start, shown):
                    return True
        return False

    def _with_slow_seat(self, found: dict[int, Found]) -> dict[int, Found]:
        """Return what was found, with the other seat where the program only thought for too long there."""
        if (some := found.get(1)) is None or len(found) > 1:
            return found
        asked = (bool(some.way.seat), some.way.prompts)
        ways = [way for way in self._slow_ways if way != some.way and (bool(way.seat), way.prompts) == asked]
        if not ways:
            return found
        return {0: some._replace(seat=0, way=ways[0], few=True), 1: some}  # it thought before it was told a move

    # The questions before the first move.

    def _seats(self, files: tuple[str, ...]) -> dict[int, Found]:
        """Try the ways through the questions before the first move until both seats are found."""
        found: dict[int, Found] = {}
        waiting, with_seat = [Approach(files)], [Approach(files, seat) for seat in self._hints.seats]
        not_understood: list[Approach] = []
        without_seat = ""
        shown: dict[Approach, str] = {}
        while (waiting or with_seat) and not self.over and len(found) < 2:
            if not waiting:
                waiting, with_seat = with_seat, []
            way = waiting.pop(0)
            with self._open(way) as opened:
                if opened is None or self.diagnosis.other_board(opened.shown):
                    continue
                tail, prompt, text = opened.session.screen.tail, opened.prompt, opened.shown.text
                if not way.length:
                    without_seat = text
                elif not way.answers and text.strip() and text == without_seat:
                    continue  # the argument changes nothing, as far as one can see before the first move
                self.diagnosis.note_dialogue(opened.session, way.length, way)
                self._mute, self._as_before, won = False, False, None
                setup = asks_for_setup(tail, prompt) and not self._reader.listed(opened.shown)
                if not setup or may_ask_for_move(tail, prompt):
                    won = self._play(opened, found)
            asks_for_move = MOVE.search(prompt) is not None
            if won is not None:
                found[won.seat] = self._lighter(won, found)
                waiting += not_understood  # what is known now may help there
                not_understood = []
            elif asks_for_move and not (setup or self._mute or found):
                not_understood.append(way)
            shown[way] = text
            before = shown.get(way._replace(answers=way.answers[:-1]))
            nothing_new = self._as_before and text == before  # the last answer changed nothing
            if won is None and way.length < DEEPEST and (setup or not (self._mute or asks_for_move or nothing_new)):
                more = [way.then(key_of(prompt), answer) for answer in setup_answers(text, prompt)]
                waiting = sorted([*waiting, *more], key=lambda one: one.length)  # most programs ask little
        return found

    def _lighter(self, won: Found, found: Mapping[int, Found]) -> Found:
        """Return the same with a smaller depth, where a program that asks for one thinks for too long."""
        others = {seat: one for seat, one in found.items() if seat != won.seat}
        for at, (key, answer) in enumerate(won.way.answers):
            while self._longest > self._clock / 2 and DEPTH.search(key) and answer in LESS:
                answer = LESS[answer]  # noqa: PLW2901 - the next smaller one
                answers = [*won.way.answers]
                answers[at] = key, answer
                with self._open(won.way._replace(answers=tuple(answers))) as opened:
                    other = self._play(opened, others) if opened else None
                if other is None:
                    return won
                won = other
        return won

    @contextmanager
    def _open(self, way: Approach) -> Iterator[Opened | None]:
        """Start the program and answer its first questions; None where it does not come to wait for more."""
        if self.over:
            yield None
            return
        with self._program.start(way.arguments, self._files, self._limit) as session:
            yield self._led(session, way)

    def _led(self, session: Session, way: Approach) -> Opened | None:
        for number, (key, answer) in enumerate(way.answers, 1):
            shown = session.skip_pauses()
            if not session.waits:
                break
            session.type(filled(answer, self._fields))
            if number == len(way.answers) and _asks_the_same(session, key, shown.text):
                return None
        shown = session.skip_pauses()
        if session.waits:
            return Opened(way, session, session.screen.prompt, shown)
        self.diagnosis.note_end(session, way.length - 1, reasons.ANSWERS if way.length else reasons.NOTHING)
        if session.slow:
            self._slow_ways.append(way)
        return None

    # Moves.

    def _play(self, opened: Opened, found: Mapping[int, Found]) -> Found | None:
        """Try to play from a prompt, in each of the ways to type a move."""
        reader, shown = self._reader, opened.shown
        reader.indexed = INDEX_HINT.search(opened.prompt) is not None
        first = reader.read(reader.start, shown)
        waits = reader.shows(shown, reader.start) and not draws(first)
        seats = [0] if reader.has_moved(shown) else [1, 0] if waits else [0, 1]
        for seat in seats:
            if seat in found or (seat == 0 and not first):
                continue
            self._mute, self._second_best = False, None
            known = found.get(1 - seat)
            reader.known = known.readings if known else frozenset()
            for how in self._ways_to_play(opened, first if seat == 0 else {}, known):
                if won := self._try(opened, *how):
                    return won
            opened.used = True
            if self._second_best is not None:
                return self._second_best
        return None

    def _ways_to_play(
        self, opened: Opened, first: Readings, known: Found | None
    ) -> Iterator[tuple[Sequence[Notation], Turn, Readings]]:
        """Yield what is tried: ways to type moves, how a turn of two is typed, and the readings of its first move."""
        reader = self._reader
        if known is not None:  # how moves are typed and shown is the same in both seats; what its first move was is not
            for group in reader.groups(first) or [{}]:
                yield [known.enter], known.turn, group
            return
        hints = "\n".join(opened.shown.text.splitlines()[-HINT_LINES:])
        ways = reader.listed(opened.shown) or sorted(
            self._notations(hints, opened.prompt), key=lambda way: way not in self._taken
        )
        modes: list[Turn] = ["each"]
        if any(len(moves) > 1 for moves in turns(reader.start)):
            modes = ["line", "each"] if TWICE.search(opened.prompt) else ["each", "line"]
        ends = [group for group in reader.groups(first) if draws(group)]
        if len(ends) > 1:  # its own first move may be read from each end of the board: which is right shows later
            for group in ends:
                yield ways[:LIKELY_NOTATIONS], modes[0], group
        for mode in modes:
            yield ways[:MOST_NOTATIONS], mode, first

    def _try(self, prompt: Opened, enters: Sequence[Notation], mode: Turn, first: Readings) -> Found | None:
        """Try some ways to type a move at a prompt; one that the program refuses is followed by the next.

        `first` has the ways in which its first move was seen, where it moves first; it may begin with another one each
        time.
        """
        way, seat = prompt.way, 0 if first else 1
        remaining, again, sure, starts = list(enters), set[Notation](), set[Notation](), self._program.starts
        place = similar(last_lines(prompt.shown.text, PLACE_LINES)), mode, frozenset(first.items())
        question, in_vain = Question(self._replies.setdefault(place, set())), True
        while remaining and not self.over and self._program.starts - starts <= MOST_RESTARTS:
            with self._open(way) if prompt.used else nullcontext(prompt) as opened:
                prompt.used = True
                if opened is None:
                    return None
                session, shown = opened.session, opened.shown
                own = self._reader.read(self._reader.start, shown, first) if first else first
                if first and not own:
                    return None
                asked, seen = similar(opened.prompt), {line.strip() for line in shown.text.splitlines()}
                while remaining:
                    enter = remaining.pop(0)
                    game = TypedGame(session, self._reader, enter, mode, self._choice)
                    readings = game.play(own)
                    self._games, self._mute, self._longest = self._games + 1, game.mute, game.longest
                    in_vain = in_vain and not (readings or game.turn or session.slow)
                    if game.ended:
                        self.diagnosis.note_end(session)
                    if readings and self._games > FEW_GAMES and enter not in sure:  # one in many may fit by chance
                        sure.add(enter)
                        remaining.insert(0, enter)
                        break
                    if not readings and game.turn and enter in again:  # not by chance: it refuses legal moves
                        readings = game.before_refusal
                    self.diagnosis.note_dialogue(session, way.length + (REACHED if readings else 0), way)
                    if readings and not game.lost_board:
                        return Found(seat, way, enter, mode, readings, game.cut)
                    if readings:
                        self._second_best = self._second_best or Found(seat, way, enter, mode, readings, few=True)
                        break
                    if game.turn and enter not in again:  # some turns were understood: one may have been misread
                        again.add(enter)
                        remaining.insert(0, enter)
                        break
                    if game.mute:
                        self._taken.append(enter)
                        self.diagnosis.note("people", Message("protocols.console_people"))
                        return None
                    remaining = game.sifted(remaining)
                    again_asked = game.asks_again(asked, seen)
                    question.add(enter, Reply.of(session), again=again_asked)
                    if not again_asked:
                        remaining = [] if question.is_for_no_move else question.by_shape(remaining)
                        break
        self._as_before = question.as_before
        if in_vain:
            question.give_up()
        return None


def _asks_the_same(session: Session, key: str, before: str) -> bool:
    """Return whether a question was not answered by what was typed, since it is asked again."""
    screen = session.screen
    again = session.waits and key_of(screen.prompt) == key
    return again and bool(REFUSED.search(screen.tail) or (choices(before) and menu(before) == menu(screen.text)))
