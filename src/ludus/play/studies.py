"""Chapters of studies: a position, the moves tried from it as a tree, comments, and what was drawn on the board.

The tree is a list of nodes, each after its parent, so that no tree is too deep to read. The first child of a node goes
on with its line, the others are variations. As text a chapter is a record of its main line, with its variations in
parentheses, as in PGN; `Record` reads it, and passes over them. Knows no page and no database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ludus.drawing.boards import SHAPES, Shape
from ludus.errors import IllegalMove, ParseError, UserError
from ludus.game import State, game, read_options
from ludus.play.record import PlayedMove, Record


class StudyNode(NamedTuple):
    """A position of a chapter: the move that led to it, and what is said and drawn there."""

    parent: int
    """The place of the position before it; -1 for the start, which is the first node."""
    move: str
    comment: str = ""
    shapes: tuple[Shape, ...] = ()


class Chapter(NamedTuple):
    """A chapter of a study."""

    title: str
    start: State
    nodes: tuple[StudyNode, ...]
    states: tuple[State, ...]
    """The state at each node."""

    @property
    def main_line(self) -> list[int]:
        """The nodes of the main line, from the start."""
        return self.line_from(0)

    def children(self) -> list[list[int]]:
        """Return the children of each node, in their order."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes[1:], 1):
            found[node.parent].append(index)
        return found

    def line_from(self, node: int) -> list[int]:
        """Return a node and its first descendants."""
        children, line = self.children(), [node]
        while children[line[-1]]:
            line.append(children[line[-1]][0])
        return line

    def path_to(self, node: int) -> list[int]:
        """Return the nodes from the start to a node."""
        path = [node]
        while path[-1]:
            path.append(self.nodes[path[-1]].parent)
        return path[::-1]


def read_chapter(number: int, name: str, title: str, options: str, start: str, nodes: Sequence[StudyNode]) -> Chapter:
    """Return a chapter whose moves are legal; UserError that names the place of what is not."""
    try:
        state = game(name, **read_options(options.split())).parse(start)
    except ParseError as error:
        raise UserError("play.study_start", chapter=number, problem=error.message) from None
    states = [state]
    size: tuple[int, int] | None = None
    found: list[StudyNode] = []
    known: set[tuple[int, str]] = set()
    for index, given in enumerate(nodes):
        node, is_start = given, index == 0
        placed = (node.parent, node.move) == (-1, "") if is_start else 0 <= node.parent < index
        if placed and not is_start:
            before = states[node.parent]
            try:
                node = given._replace(move=before.move_name(given.move))
                states.append(before.play(node.move))
            except IllegalMove as error:
                raise UserError("play.study_move", chapter=number, node=index, problem=error.message) from None
        if not placed or (node.parent, node.move) in known:
            raise UserError("play.study_tree", chapter=number, node=index)
        known.add((node.parent, node.move))
        found.append(node)
        if node.shapes:
            size = size or board_size(state)
            _check_shapes(number, index, node, size)
    return Chapter(title, state, tuple(found), tuple(states))


def _check_shapes(number: int, index: int, node: StudyNode, size: tuple[int, int]) -> None:
    """Raise UserError for a shape outside of the board."""
    rows, cols = size
    for cells, colour in node.shapes:
        inside = all(0 <= row < rows and 0 <= col < cols for row, col in cells)
        if not inside or not 1 <= len(set(cells)) == len(cells) <= 2 or colour not in SHAPES:
            raise UserError("play.study_shape", chapter=number, node=index)


def board_size(state: State) -> tuple[int, int]:
    """Return the rows and columns of a board, which is drawn for that."""
    board = state.game.look.board
    marks = board(state).marks if board else ()
    return len(marks), len(marks[0]) if marks else 0


def chapter_text(chapter: Chapter, headers: dict[str, str]) -> str:
    """Return a chapter as a record, with its variations in parentheses."""
    line = chapter.main_line
    record = Record(chapter.start, outcome=chapter.states[line[-1]].outcome, headers=headers)
    record.moves = [PlayedMove(chapter.nodes[node].move) for node in line[1:]]
    head = record.text[: record.text.index("\n\n") + 2]
    said = PlayedMove("", comment=chapter.nodes[0].comment).text.strip()
    return head + "\n".join(filter(None, [said, " ".join(_words(chapter)), record.result])) + "\n"


def _words(chapter: Chapter) -> list[str]:
    """Return the moves of a chapter; without recursion, since a tree may be deep."""
    nodes, children, turns = chapter.nodes, chapter.children(), _turns(chapter)
    words: list[str] = []
    left: list[tuple[int, bool] | str] = [(first, True) for first in children[0][:1]]
    """What is still to write, the next last: a node and whether its number must be said, or a word."""
    while left:
        match left.pop():
            case str() as word:
                words.append(word)
            case node, numbered:
                before = nodes[node].parent
                mover, last = chapter.states[before].side, nodes[before].parent
                if mover == 0 and (numbered or chapter.states[last].side != 0):
                    words.append(f"{turns[before]}.")
                elif numbered:
                    words.append(f"{max(1, turns[before])}...")
                words.append(PlayedMove(nodes[node].move, comment=nodes[node].comment).text)
                left += [(first, False) for first in children[node][:1]]
                if children[before][0] == node:
                    left += [part for other in children[before][:0:-1] for part in (")", (other, True), "(")]
    return words


def _turns(chapter: Chapter) -> list[int]:
    """Return for each node which turn of the first player it is, counted from 1."""
    turns: list[int] = []
    for node, state in zip(chapter.nodes, chapter.states, strict=True):
        begins = state.side == 0 and (node.parent < 0 or chapter.states[node.parent].side != 0)
        turns.append((turns[node.parent] if node.parent >= 0 else 0) + begins)
    return turns
