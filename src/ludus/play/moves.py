"""A bare list of moves, as people write or copy it: `1. A1 F5 2. B2`, with or without numbers, commas and a result.

Knows states and records; must not know files or pages. Every pattern is bounded or reads each character once, so that
the work grows with the length of the text and no faster.
"""

from __future__ import annotations

import re

from ludus.errors import IllegalMove, ParseError
from ludus.game import Game, State, read_move
from ludus.messages import Message
from ludus.play.record import RESULTS, Record, illegal, place_of

TOKEN = re.compile(
    r"(?P<comment>\{[^{}]*\})"
    r"|(?P<result>(?:1-0|0-1|1/2-1/2|\*)(?![^\s,;]))"
    r"|(?P<number>\d{1,4}(?:\.{1,3}|\)))"
    r"|(?P<pair>\d{1,2} ?, ?\d{1,2})(?![^\s,;])"
    r"|(?P<word>[^\s,;{}]+)"
    r"|(?P<space>[\s,;]+)"
    r"|(?P<bad>.)"
)
MOVE = re.compile(r"[A-Za-z]\d{1,2}|\d{1,2},\d{1,2}|pass", re.IGNORECASE)
"""A move of most games, by its look."""
LONGEST = 40
"""Characters of a word that are read: no move has as many, and the rest would only lengthen the error."""


def looks_like_moves(text: str, game: Game | None = None) -> bool:
    """Return whether a text begins as a list of moves does: with a number such as `1.`, or with a move.

    A game with its own notation must be given, so that its moves are recognised.
    """
    shape = MOVE if game is None else game.move_shape
    for token in TOKEN.finditer(text):
        if token.lastgroup == "number":
            return True
        if token.lastgroup in ("pair", "word"):
            return token.lastgroup == "pair" or shape.fullmatch(token[0]) is not None
    return False


def read_moves(start: State, text: str, source: str | None = None) -> Record:
    """Return the game that a list of moves from `start` makes; an illegal move is refused with its number.

    Comments in braces are ignored. A result at the end must agree with the rules, where they decide it.
    """
    record, state, result = Record(start), start, ""
    for token in TOKEN.finditer(text):
        wrong: Message | None = None
        if token.lastgroup == "bad":
            wrong = Message("play.stray_brace", text=repr(token[0]))
        elif result and token.lastgroup != "space":
            wrong = Message("play.after_result", text=repr(token[0][:20]))
        elif token.lastgroup == "result":
            result = token[0]
        elif token.lastgroup in ("pair", "word"):
            try:
                record.play(read_move(state, token[0][:LONGEST].replace(" ", "")))
                state = record.final
            except IllegalMove as error:
                wrong = illegal(record, error)
        if wrong is not None:
            raise ParseError(wrong, *place_of(text, token.start()), source)
    if state.outcome is not None and result not in ("", "*", by_rules := RESULTS[state.outcome.winner]):
        raise ParseError(
            Message("play.other_result", by_rules=by_rules, result=result), *place_of(text, len(text)), source
        )
    return record
