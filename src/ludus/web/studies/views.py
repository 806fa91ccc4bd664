"""Studies as typed JSON: what their owners send, and what pages show. Knows states, but no database and no HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ludus.display import visible
from ludus.drawing.boards import Shape
from ludus.errors import UserError
from ludus.play.studies import Chapter, StudyNode, read_chapter
from ludus.store.studies import StudyContent, StudyRow
from ludus.view import View
from ludus.web.matches.routes import Word
from ludus.web.views import drawable_games

LONGEST_TITLE, LONGEST_COMMENT = 80, 2000
MOST_CHAPTERS, MOST_NODES, MOST_SHAPES = 32, 2000, 32
"""Of a study: chapters, and positions of all of them; of a position: shapes."""

Cell = tuple[Annotated[int, Field(ge=0, lt=64)], Annotated[int, Field(ge=0, lt=64)]]
Visibility = Literal["private", "link", "public"]
Title = Annotated[str, Field(max_length=LONGEST_TITLE)]


class Strict(BaseModel):
    """What people send: a field that nobody knows is refused, since it would be stored."""

    model_config = ConfigDict(extra="forbid")


class ShapeField(Strict):
    """A sign on a cell, or an arrow from one to another."""

    cells: Annotated[list[Cell], Field(min_length=1, max_length=2)]
    colour: Literal["green", "red", "blue", "amber"] = "green"


class NodeField(Strict):
    """A position of a chapter, by the move that led to it; the first is the start."""

    parent: Annotated[int, Field(ge=-1, lt=MOST_NODES)] = -1
    move: Word = ""
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] = ""
    shapes: Annotated[list[ShapeField], Field(max_length=MOST_SHAPES)] = []


class ChapterField(Strict):
    """A chapter as its owner sends it."""

    title: Title
    options: Annotated[str, Field(max_length=300)] = ""
    start: Annotated[str, Field(max_length=2000)]
    nodes: Annotated[list[NodeField], Field(min_length=1, max_length=MOST_NODES)] = [NodeField()]


class StudyField(Strict):
    """A study as its owner sends it."""

    title: Title
    game: Word
    visibility: Visibility = "private"
    chapters: Annotated[list[ChapterField], Field(min_length=1, max_length=MOST_CHAPTERS)]


class NodeView(View):
    """A position of a chapter, with its text, and whose move it is."""

    parent: int = -1
    move: str = ""
    comment: str = ""
    shapes: list[dict[str, Any]] = []
    text: str
    side: int


class ChapterView(View):
    """A chapter."""

    title: str
    options: str = ""
    nodes: list[NodeView]


class StudySummaryView(View):
    """A study in a list."""

    id: str
    title: str
    game: str
    visibility: Visibility
    owner: str | None = None
    chapters: int
    touched: str


class StudyListView(View):
    """The studies that somebody sees: their own, and public ones of others."""

    mine: list[StudySummaryView] = []
    public: list[StudySummaryView] = []


class StudyView(View):
    """A study as a page shows it."""

    id: str
    title: str
    game: str
    visibility: Visibility
    version: int
    owner: str | None = None
    mine: bool = False
    chapters: list[ChapterView]


def read_study(sent: StudyField) -> StudyContent:
    """Return what is stored of a study; UserError for what is not possible."""
    if sent.game not in drawable_games():
        raise UserError("web.no_game_named", name=repr(sent.game), games=list(drawable_games()))
    count = sum(len(chapter.nodes) for chapter in sent.chapters)
    if count > MOST_NODES:
        raise UserError("web.study_too_large", most=MOST_NODES, count=count)
    title = plain_title(sent.title)
    chapters = [chapter.model_dump(exclude_defaults=True) for chapter in sent.chapters]
    for chapter in chapters:
        chapter["title"] = plain_title(chapter["title"])
    content = StudyContent(title, sent.game, sent.visibility, chapters)
    for number, chapter in enumerate(chapters):
        read = chapter_of(content, number)
        for stored, node in zip(chapter.get("nodes", []), read.nodes, strict=False):
            stored.update({"move": node.move} if node.move else {})  # as the game writes it
    return content


def plain_title(text: str) -> str:
    """Return a title on one line."""
    title = " ".join(visible(text).split())
    if not title:
        raise UserError("web.study_title", most=LONGEST_TITLE)
    return title


def chapter_of(study: StudyRow | StudyContent, number: int) -> Chapter:
    """Return a chapter of a study with its states."""
    stored = study.chapters[number]
    nodes = [
        StudyNode(
            node.get("parent", -1),
            node.get("move", ""),
            node.get("comment", ""),
            tuple(
                Shape(tuple((row, col) for row, col in shape["cells"]), shape.get("colour", "green"))
                for shape in node.get("shapes", [])
            ),
        )
        for node in stored.get("nodes", [{}])
    ]
    return read_chapter(number + 1, study.game, stored["title"], stored.get("options", ""), stored["start"], nodes)


def study_view(study: StudyRow, owner: str | None, *, mine: bool) -> StudyView:
    """Return a study with the text of each position."""
    chapters = []
    for number, stored in enumerate(study.chapters):
        states = chapter_of(study, number).states
        nodes = [
            NodeView(text=state.text, side=state.side, **node)
            for node, state in zip(stored.get("nodes", [{}]), states, strict=True)
        ]
        chapters.append(ChapterView(title=stored["title"], options=stored.get("options", ""), nodes=nodes))
    return StudyView(
        id=study.id,
        title=study.title,
        game=study.game,
        visibility=study.visibility,  # type: ignore[arg-type]
        version=study.version,
        owner=owner,
        mine=mine,
        chapters=chapters,
    )
