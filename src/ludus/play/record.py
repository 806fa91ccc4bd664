"""Records: a game as text that a person can read, in the manner of PGN. Knows states and moves, no players.

    [Game "chain-reaction"]
    [Start "....../....../....../....../...... 1 0"]
    [First "human"]
    [Second "greedy"]
    [Result "1-0"]

    1. A1 {2.1s} F5 {0.01s +0.25}
    2. A2 ...
    1-0

A comment opens with the seconds that the move took and the value that the mover saw, where they are known; the rest
of it is free text. A number comes before each turn of the first player; a turn of two moves is just two moves.
Variations stand in parentheses with blanks around them, as in `2. A2 ( 2. B2 C3 ) C4`; a record has its main line only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ludus.display import visible
from ludus.errors import IllegalMove, ParseError, message_of
from ludus.files import read_text, write_whole
from ludus.game import Game, Outcome, State, game, read_options
from ludus.messages import Message, verbatim
from ludus.play.clock import short

RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
UNFINISHED = "*"
WINNERS = {text: winner for winner, text in RESULTS.items()}
SIDES = ("first", "second")
FAULT_HEADERS = ("Fault", "FaultData")
"""What the loser did wrong: in English, and as data for those who show it in another language."""

HEADER = re.compile(r'\[(\w{1,40})\s+"((?:[^"\\]|\\["\\])*)"\]\s*')
TOKEN = re.compile(r"(?P<space>\s+)|\{(?P<comment>[^}]*)\}|(?P<number>\d+\.+(?=\s|$))|(?P<word>[^\s{}]+)|(?P<bad>.)")
SECONDS = re.compile(r"(\d++(?:\.\d++)?)s")
VALUE = re.compile(r"[+-]\d++(?:\.\d++)?")


class Header(NamedTuple):
    """A header's value and its index in the text; line and column are computed only for an error."""

    value: str
    at: int = 0


class PlayedMove(NamedTuple):
    """A move that was played: what it took, and what the mover thought of it."""

    move: str
    seconds: float | None = None
    value: float | None = None
    comment: str = ""

    @property
    def text(self) -> str:
        """The move and its comment."""
        parts = [] if self.seconds is None else [f"{short(round(self.seconds, 3))}s"]
        parts += [] if self.value is None else [f"{self.value:+.6g}"]
        parts += [re.sub(r"[{}\s]+", " ", self.comment).strip()] if self.comment.strip() else []
        return f"{self.move} {{{' '.join(parts)}}}" if parts else self.move


@dataclass
class Record:
    """A game from its start to its current state; `outcome` is None while it is open.

    Args:
        start: The state before the first move.
        players: The names of both sides.
        clock: The text of the clock.
        moves: The moves so far.
        outcome: How it ended.
        headers: Whatever else the record says at its head.

    Example:
        >>> record = ludus.Record(ludus.game("connect-four").initial(), ("Ada", "Grace"))
        >>> record.play("D").text
        'D'
        >>> record.final.side
        1
    """

    start: State
    players: tuple[str, str] = ("?", "?")
    clock: str = "none"
    moves: list[PlayedMove] = field(default_factory=list)
    outcome: Outcome | None = None
    headers: dict[str, str] = field(default_factory=dict)
    """Whatever else the record says at its head."""
    _states: list[State] = field(init=False, repr=False, compare=False)
    """The start and the state after each move, as far as they have been needed."""

    def __post_init__(self) -> None:
        self._states = [self.start]

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.start.game

    def states(self) -> Sequence[State]:
        """Return the start and the state after each move; each move is played once, however often this is asked."""
        while len(self._states) <= len(self.moves):
            self._states.append(self._states[-1].play(self.moves[len(self._states) - 1].move))
        return self._states

    @property
    def final(self) -> State:
        """The state after the last move."""
        return self.states()[len(self.moves)]

    def play(self, move: str, seconds: float | None = None, value: float | None = None) -> PlayedMove:
        """Add a move; an illegal one raises and changes nothing."""
        name = self.final.move_name(move)
        return self.add(PlayedMove(name, seconds, value), self.final.play(name))

    def add(self, played: PlayedMove, after: State) -> PlayedMove:
        """Add a move whose state after it is known."""
        self._states.append(after)
        self.moves.append(played)
        self.outcome = after.outcome
        return played

    def undo(self) -> None:
        """Take the last move back, and with it how the game ended."""
        self.moves.pop()
        del self._states[len(self.moves) + 1 :]
        self.outcome = None
        self.headers = {name: value for name, value in self.headers.items() if name not in FAULT_HEADERS}

    @property
    def fault(self) -> Message | None:
        """What the loser did wrong, where a failure ended the game; records of older versions have it in English."""
        sentence, data = (self.headers.get(name, "") for name in FAULT_HEADERS)
        try:
            message = Message.from_json(json.loads(data))
            same = escape(str(message)) == escape(sentence)  # a person may have edited it
            return message if same else verbatim(sentence)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return verbatim(sentence) if sentence else None

    @fault.setter
    def fault(self, fault: Message) -> None:
        self.headers |= zip(FAULT_HEADERS, (str(fault), json.dumps(fault.json)), strict=True)

    @property
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` for a game that is not over."""
        return UNFINISHED if self.outcome is None else RESULTS[self.outcome.winner]

    @property
    def text(self) -> str:
        """The record as a file holds it."""
        moves = list(self.moves)  # another thread may play on meanwhile
        states = self.states()[: len(moves) + 1]
        final = states[-1]
        head = {"Game": self.game.name}
        if self.game.given:
            head["Options"] = " ".join(f"{name}={value}" for name, value in self.game.given.items())
        head |= {"Start": self.start.text, "First": self.players[0], "Second": self.players[1], "Clock": self.clock}
        head["Result"] = self.result
        if self.outcome is not None:
            head["Reason"] = self.outcome.reason
        if final.scores is not None:
            head["Score"] = "{}-{}".format(*final.scores)
        head |= self.headers
        lines = [f'[{name} "{escape(value)}"]' for name, value in head.items()]
        lines.append("")
        number, mover = 0, None
        for state, played in zip(states, moves, strict=False):  # one state more than moves
            if state.side == 0 and mover != 0:
                number += 1
                lines.append(f"{number}.")
            elif mover is None:
                number = 1
                lines.append("1...")
            mover = state.side
            lines[-1] += f" {played.text}"
        lines.append(self.result)
        return "\n".join(lines) + "\n"

    def save(self, path: Path | str) -> None:
        """Write the record, whole or not at all."""
        write_whole(path, self.text)

    @classmethod
    def load(cls, path: Path | str) -> Record:
        """Read a record from a file."""
        return cls.parse(read_text(path), source=str(path))

    @classmethod
    def parse(cls, text: str, source: str | None = None, known: Record | None = None) -> Record:
        """Read a record; an illegal move is refused with its number.

        Moves that it has in common with a `known` record of the same game are not played again.
        """
        try:
            return _parse(text.removeprefix("\ufeff"), known)
        except ParseError as error:
            raise ParseError(error.message, error.line, error.column, source) from None


def _parse(text: str, known: Record | None) -> Record:
    head, at = _read_head(text)
    record = Record(_read_start(text, head))
    record.players = (head.pop("First", Header("?")).value, head.pop("Second", Header("?")).value)
    record.clock = head.pop("Clock", Header("none")).value
    result = head.pop("Result", Header(""))
    reason = head.pop("Reason", Header("rules")).value
    head.pop("Score", None)  # the moves say it
    record.headers = {name: header.value for name, header in head.items()}
    end = _read_moves(text, at, record, known if known is not None and known.start == record.start else None)
    final = record.final
    if result.value and end.value and result.value != end.value:
        message = Message("play.two_results", end=end.value, header=result.value)
        raise ParseError(message, *place_of(text, end.at))
    result = end if end.value else result if result.value else Header(UNFINISHED)
    if result.value not in (*WINNERS, UNFINISHED):
        raise ParseError(
            Message("play.unknown_result", winners=list(WINNERS), value=repr(result.value)), *place_of(text, result.at)
        )
    if final.outcome is not None:
        by_rules = RESULTS[final.outcome.winner]
        if result.value not in (UNFINISHED, by_rules):
            message = Message("play.other_result", by_rules=by_rules, result=result.value)
            raise ParseError(message, *place_of(text, result.at))
        record.outcome = final.outcome
    elif result.value != UNFINISHED:
        if reason == "rules":
            message = Message("play.not_over")
            raise ParseError(message, *place_of(text, result.at))
        record.outcome = Outcome(WINNERS[result.value], reason)
    return record


def _read_head(text: str) -> tuple[dict[str, Header], int]:
    """Read the headers, and find where the moves begin."""
    head: dict[str, Header] = {}
    at = len(text) - len(text.lstrip())
    while text.startswith("[", at):
        matched = HEADER.match(text, at)
        if matched is None:
            raise ParseError(Message("play.bad_header"), *place_of(text, at))
        if matched[1] in head:
            raise ParseError(Message("play.header_twice", matched=matched[1]), *place_of(text, at))
        head[matched[1]] = Header(visible(re.sub(r"\\(.)", r"\1", matched[2])), matched.start(2))
        at = matched.end()
    return head, at


def _read_start(text: str, head: dict[str, Header]) -> State:
    """Return the state that the head describes; errors point into the head."""
    name = head.pop("Game", Header(""))
    if not name.value:
        raise ParseError(Message("play.no_game"), *place_of(text, name.at))
    words = head.pop("Options", Header(""))
    at = name.at
    try:
        game(name.value)
        at = words.at
        played = game(name.value, **read_options(words.value.split()))
    except ValueError as error:
        raise ParseError(message_of(error), *place_of(text, at)) from None
    start = head.pop("Start", Header(""))
    if not start.value:
        seed = head.get("Seed", Header("0"))
        if not re.fullmatch(r"-?\d{1,20}", seed.value, re.ASCII):
            raise ParseError(Message("play.bad_seed", value=repr(seed.value)), *place_of(text, seed.at))
        return played.initial(int(seed.value))
    try:
        return played.parse(start.value)
    except ParseError as error:
        line, column = place_of(text, start.at)
        raise ParseError(error.message, line, column + error.column - 1) from None


def _read_moves(text: str, at: int, record: Record, known: Record | None) -> Header:
    """Read the moves into the record; return the result at the end with its place. Variations are passed over."""
    opened: list[int] = []
    for token in TOKEN.finditer(text, at):
        if token["word"] == "(" and record.moves:
            opened.append(token.start())
        elif token["word"] == ")" and opened:
            opened.pop()
        elif opened:
            continue
        elif token["comment"] is not None and record.moves:
            record.moves[-1] = _comment(record.moves[-1].move, token["comment"])
        elif token["bad"]:
            message = Message("play.stray_brace", text=repr(token["bad"]))
            raise ParseError(message, *place_of(text, token.start()))
        elif token["word"] in (*WINNERS, UNFINISHED):
            if rest := text[token.end() :].strip():
                message = Message("play.after_result", text=repr(rest[:20]))
                raise ParseError(message, *place_of(text, token.start()))
            return Header(token["word"], token.start())
        elif token["word"] is not None:
            known = _read_move(text, token, record, known)
    if opened:
        raise ParseError(Message("play.open_variation"), *place_of(text, opened[-1]))
    return Header("")


def _read_move(text: str, token: re.Match[str], record: Record, known: Record | None) -> Record | None:
    """Read a move into the record; return the known record as long as it has the same moves."""
    ply, move = len(record.moves), token["word"]
    if known is not None and ply < len(known.moves) and known.moves[ply].move == move:
        record.add(PlayedMove(move), known.states()[ply + 1])
        return known
    try:
        record.play(move)
    except IllegalMove as error:
        raise ParseError(illegal(record, error), *place_of(text, token.start())) from None
    return None


def illegal(record: Record, error: IllegalMove) -> Message:
    """Return what is wrong with the move after those of a record."""
    code = "play.illegal_move_second" if record.final.side else "play.illegal_move_first"
    return Message(code, number=len(record.moves) + 1, problem=error.message)


def _comment(move: str, text: str) -> PlayedMove:
    """Read a comment from the left, piece by piece: a pattern with blanks between optional parts tries every split."""
    rest = visible(text).strip()
    seconds = SECONDS.match(rest)
    rest = rest[seconds.end() :].lstrip() if seconds else rest
    value = VALUE.match(rest)
    rest = rest[value.end() :].lstrip() if value else rest
    return PlayedMove(move, float(seconds[1]) if seconds else None, float(value[0]) if value else None, rest)


def place_of(text: str, at: int) -> tuple[int, int]:
    """Return the line and the column, both from 1, of an index into a text."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def escape(value: str) -> str:
    """Write a header's value so that it stays on its line and within its quotes."""
    line = visible(re.sub(r"[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]", " ", value))
    return line.replace("\\", "\\\\").replace('"', '\\"')
