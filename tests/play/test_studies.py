"""Chapters of studies: which trees are taken, and a chapter as a record with variations."""

from __future__ import annotations

import pytest

import ludus
from ludus.drawing.boards import Shape
from ludus.errors import ParseError, UserError
from ludus.game import State
from ludus.play import studies
from ludus.play.record import Record
from ludus.play.studies import Chapter, StudyNode, chapter_text, read_chapter
from ludus.web.studies.views import StudyField, read_study

CAVE = ludus.game("magnetic-cave").initial()
TREE = [(-1, ""), (0, "A8"), (1, "H8"), (1, "H7"), (3, "A7"), (2, "A7"), (0, "H1"), (2, "B8")]
"""The first two are followed by H8 and, as a variation, by H7."""


def chapter(nodes: list[StudyNode], name: str = "magnetic-cave", start: str = CAVE.text) -> Chapter:
    return read_chapter(1, name, "First", "", start, nodes)


def test_a_tree_has_a_main_line_and_the_path_to_each_node() -> None:
    found = chapter([StudyNode(*node) for node in TREE])
    assert found.main_line == [0, 1, 2, 5]
    assert found.path_to(4) == [0, 1, 3, 4]
    assert found.states[4] == CAVE.play("A8").play("H7").play("A7")


def test_a_move_is_kept_as_the_game_writes_it() -> None:
    found = chapter([StudyNode(-1, ""), StudyNode(0, "a8")])
    assert found.nodes[1].move == "A8"
    assert [played.move for played in Record.parse(chapter_text(found, {})).moves] == ["A8"]
    sent = {"title": "x", "start": CAVE.text, "nodes": [{}, {"parent": 0, "move": "a8"}]}
    stored = read_study(StudyField.model_validate({"title": "x", "game": "magnetic-cave", "chapters": [sent]}))
    assert stored.chapters[0]["nodes"] == [{}, {"parent": 0, "move": "A8"}]


def test_a_board_is_drawn_at_most_once_to_check_all_shapes_of_a_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[State] = []

    def drawing(state: State) -> tuple[int, int]:
        drawn.append(state)
        return 8, 8

    monkeypatch.setattr(studies, "board_size", drawing)
    chapter([StudyNode(*node) for node in TREE])
    assert drawn == []
    chapter([StudyNode(*node, "", (Shape(((0, 0),)),)) for node in TREE])
    assert drawn == [CAVE]


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        ([(0, "A8")], "node 0: a node needs a move and an earlier parent"),
        ([(-1, ""), (1, "A8")], "node 1: a node needs a move and an earlier parent"),
        ([(-1, ""), (-1, "")], "node 1: a node needs a move and an earlier parent"),
        ([(-1, ""), (0, "A8"), (0, "A8")], "node 2: a node needs a move and an earlier parent"),
        ([(-1, ""), (0, "A8"), (0, "a8")], "node 2: a node needs a move and an earlier parent"),
        ([(-1, ""), (0, "D4")], "chapter 1, node 1: "),
        ([(-1, "", "", (Shape(((0, 9),)),))], "node 0: a drawing needs one or two"),
        ([(-1, "", "", (Shape(((0, 0), (0, 0))),))], "node 0: a drawing needs one or two"),
        ([(-1, "", "", (Shape(((0, 0),), "pink"),))], "node 0: a drawing needs one or two"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(nodes: list[tuple[int, str]], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        chapter([StudyNode(*node) for node in nodes])


def test_a_start_that_is_no_position_is_refused() -> None:
    with pytest.raises(UserError, match="chapter 1: the position cannot be read"):
        chapter([StudyNode(-1, "")], start="nonsense")


def test_a_chapter_as_a_record_has_comments_and_variations_and_reads_as_its_main_line() -> None:
    nodes = [StudyNode(*node) for node in TREE]
    nodes[0] = nodes[0]._replace(comment="The start {of} it")
    nodes[3] = nodes[3]._replace(comment="lower")
    text = chapter_text(chapter(nodes), {"Study": 'A "quoted" title'})
    assert text.partition("\n\n")[2].split("\n") == [
        "{The start of it}",
        "1. A8 ( 1. H1 ) H8 ( 1... H7 {lower} 2. A7 ) 2. A7 ( 2. B8 )",
        "*",
        "",
    ]
    record = ludus.Record.parse(text)
    assert [played.move for played in record.moves] == ["A8", "H8", "A7"]
    assert record.headers == {"Study": 'A "quoted" title'}


def test_a_variation_that_does_not_end_is_named() -> None:
    text = chapter_text(chapter([StudyNode(*node) for node in TREE]), {}).replace(" )", "")
    with pytest.raises(ParseError, match="this variation has no closing parenthesis"):
        ludus.Record.parse(text)


def test_a_long_line_of_variations_within_variations_is_written_without_recursion() -> None:
    game = ludus.game("magnetic-cave", rows=16, cols=16, line=8)
    state, nodes, at = game.initial(), [StudyNode(-1, "")], 0
    while state.outcome is None and len(nodes) < 480:
        first, *others = state.legal_moves
        nodes.append(StudyNode(at, first))
        if others:
            nodes.append(StudyNode(at, others[-1]))
        at = len(nodes) - 1
        state = state.play(nodes[at].move)
    found = read_chapter(1, "magnetic-cave", "Deep", "line=8", game.initial().text, nodes)
    text = chapter_text(found, {})
    assert text.count("(") == text.count(")") > 100
    assert ludus.Record.parse(text).final == found.states[found.main_line[-1]]
