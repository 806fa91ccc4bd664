"""More readers of what strangers write: files of courses and tournaments, downloads, archives, screens, requests.

Those of text stand beside the others of `test_readers`, which measures them all. Those of bytes, and those that need
files, are for `fuzz_parsers` only. Each raises errors of ours and nothing else.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

import ludus
from ludus.bots import bot_of
from ludus.bots.source import File, packed, read_file, unpacked
from ludus.cli.actions.match import read_sprt
from ludus.cli.actions.report import split_players
from ludus.cli.verbs.engine import read_go
from ludus.courses import find_course, parse_course
from ludus.courses.columns import decoded
from ludus.courses.deadline import DeadlineSettings
from ludus.courses.platforms import collect, gradescope_attempt
from ludus.courses.roster import read_roster
from ludus.courses.tables import read_entered, read_extensions, read_late, read_parts, read_programs
from ludus.display import HARMFUL
from ludus.errors import Fault, MessageError
from ludus.files import ScratchFolder, read_toml
from ludus.play.clock import Clock
from ludus.play.openings import read_openings
from ludus.play.player import Situation
from ludus.play.record import Record
from ludus.play.studies import Chapter, StudyNode, chapter_text, read_chapter
from ludus.protocols import protocol, read_answer
from ludus.protocols.console import ConsoleScript, Dialogue
from ludus.protocols.console.boards import grids
from ludus.protocols.console.prompts import (
    asks_for_setup,
    key_of,
    may_ask_for_move,
    notations,
    setup_answers,
    templates,
)
from ludus.protocols.console.screen import decoded as shown_on_screen
from ludus.protocols.console.script import Board
from ludus.settings import read_settings
from ludus.store.bots import number_of, read_name, version_of
from ludus.store.passwords import read_password
from ludus.tournament.files import TournamentFile
from ludus.web.analysis.positions import read_any
from ludus.web.analysis.routes import BoardSetup, NewImport, read_board
from ludus.web.bots.submissions import read_upload
from ludus.web.courses.collected import read_collected
from ludus.web.courses.edit import edited
from ludus.web.http.connections import read_proxy
from ludus.web.matches.offers import HEADER, Offer, Offers
from ludus.web.studies.views import StudyField, chapter_of, read_study

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.game import Game

T = TypeVar("T", bound=BaseModel)
COURSE = find_course("nycu-cantris")
TOML = (Path(ludus.__file__).parent / "courses" / "presets" / "nycu-cantris.toml").read_text(encoding="utf-8")
DUE = DeadlineSettings(at="2026-05-01 23:59")
CANTRIS, CHAIN = ludus.game("cantris"), ludus.game("chain-reaction")
SCRIPT = ConsoleScript.model_validate(
    {
        "files": ["board.txt"],
        "answers": [
            {"after": "order", "first": "0", "second": "1"},
            {"after": "size", "first": "{rows}", "always": True},
        ],
        "enter": {"text": "{row} {col}"},
        "shows": {"text": "Your move is {row},{col}."},
        "board": "top",
    }
)
METADATA = "submission_metadata.yml"


class MoreReader(NamedTuple):
    """A reader, and what may stand before the worst of a text, or what it reads without a complaint."""

    read: Callable[[Any], object]
    before: tuple[Any, ...] = ("",)


def is_ours(error: Exception) -> bool:
    """Return whether an error is one that people can read: a message of ours."""
    return isinstance(error, MessageError | Fault | ludus.ParseError | ludus.IllegalMove)


def situation(game: Game) -> Situation:
    state, time_left = game.initial(), Clock.parse("1/move").start()
    return Situation(state, (), state, (time_left, time_left))


def answer(name: str, game: Game) -> Callable[[str], object]:
    """Return the reader of a line of a bot."""
    speech, asked = protocol(name), situation(game)
    return lambda text: read_answer(speech, asked, text.replace("\n", " "), [])


def validated(model: type[T], text: str) -> T | None:
    """Return the body of a request; None where FastAPI refuses it before anybody else sees it."""
    try:
        return model.model_validate_json(text)
    except ValidationError:
        return None


def imported(text: str) -> None:
    """Read a text that is brought to the page in a request."""
    if (wanted := validated(NewImport, text)) is not None:
        read_any(wanted.game, wanted.text, wanted.options, wanted.start)


def board(text: str) -> None:
    """Read a board that was set up cell by cell."""
    if (wanted := validated(BoardSetup, text)) is not None:
        read_board(wanted)


def tournament(text: str) -> None:
    """Read a tournament file up to the plan; nothing of it is played."""
    read_settings(TournamentFile, read_toml(text, "t.toml"), "t.toml").plan(Path("t.toml"))


def edit(text: str) -> None:
    """Change a value of a course file, which was read before."""
    read_toml(text, "course.toml")
    edited(text, ("deadline",), {"at": "2026-01-01 00:00", "grace": None})


def prompt(text: str) -> None:
    """Ask everything that is asked of a screen before its script is known."""
    last = text.rpartition("\n")[2]
    asks_for_setup(text, last)
    may_ask_for_move(text, last)
    setup_answers(text, last)
    key_of(last)
    notations(text, last, lettered=True)
    templates(text)
    for rows, cols in ((8, 4), (5, 6)):
        list(grids(text, rows, cols))


def screens(text: str) -> None:
    """Lead a dialogue with a program that shows this, and waits after every line of it."""
    asked = situation(CANTRIS)
    talk = Dialogue(SCRIPT, asked.state, 0)
    talk.ask(asked, 0)
    for line in text.splitlines(keepends=True)[:50]:
        shown = base64.b64encode(line.encode("utf-8", "replace")).decode()
        for report in (json.dumps({"out": shown}), '{"waits": true}'):
            if read_answer(talk, asked, report, []) is not None:
                return
        talk.reply()


def reports(text: str) -> None:
    """Lead a dialogue in which the program writes the reports itself."""
    asked = situation(CANTRIS)
    talk = Dialogue(SCRIPT, asked.state, 0)
    talk.ask(asked, 0)
    for line in text.split("\n")[:50]:
        read_answer(talk, asked, line, [])


def console_script(text: str) -> None:
    """Read a script, and what it makes of a screen."""
    script = read_settings(ConsoleScript, read_toml(text, "bot.toml"), "bot.toml")
    start = CANTRIS.initial()
    talk = Dialogue(script, start, 0)
    for notation in (script.enter, script.shows):
        if notation is not None:
            list(notation.read("Your move is 3,2. A1 0 0", Board.of(CANTRIS)))
    with contextlib.suppress(Fault):
        talk.ask(situation(CANTRIS), 0)


def encoded(text: str) -> bytes:
    """Return a text as a table is handed in: bytes."""
    return text.encode("utf-8", "replace")


CAVE = ludus.game("magnetic-cave").initial()
NEW_STUDY = f'{{"title": "x", "game": "magnetic-cave", "chapters": [{{"title": "x", "start": "{CAVE.text}"'
NODES = ', "nodes": [{}, {"parent": 0, "move": "A8", "shapes": [{"cells": [[0, 1]]}], "comment": "'
NEW_IMPORT = '{"game": "cantris", "text": "'


def study(text: str) -> None:
    """Read a study as its owner sends it, and write its chapters as records."""
    if (sent := validated(StudyField, text)) is None:
        return
    content = read_study(sent)
    for number in range(len(content.chapters)):
        written(chapter_of(content, number), content.title)


def commented(text: str) -> None:
    """Write a chapter with a title and comments of any kind as a record."""
    nodes = [StudyNode(-1, "", text), StudyNode(0, "A8", text), StudyNode(1, "H8", text), StudyNode(1, "H7", text)]
    written(read_chapter(1, CAVE.game.name, text, "", CAVE.text, nodes), text)


def written(chapter: Chapter, title: str) -> None:
    """Read a chapter's record: it has the main line, whatever titles and comments say."""
    found = Record.parse(chapter_text(chapter, {"Study": title, "Chapter": chapter.title}))
    assert [played.move for played in found.moves] == [chapter.nodes[node].move for node in chapter.main_line[1:]]
    assert found.start == chapter.start


def offers(text: str) -> None:
    """Read the offers of a stored match."""
    Offer.read(text)
    Offers(Record(CAVE, headers={HEADER: text})).allowed(0, {0, 1}, rated=False)


def pax(text: str) -> None:
    """Read a tar archive with a pax header that says this of the next file, eight times: long ones were slow."""
    data, item = 8 * encoded(text), tarfile.TarInfo("x")
    item.size, item.type = len(data), tarfile.XHDTYPE
    said = item.tobuf(tarfile.USTAR_FORMAT) + data.ljust(-(-len(data) // 512) * 512, b"\0")
    unpacked(said + packed({"a": File(b"x")}))


TEXTS: dict[str, MoreReader] = {
    "pax header": MoreReader(pax, ("", "9 path=", "30 comment=", "9")),
    "study": MoreReader(study, ("", NEW_STUDY, f"{NEW_STUDY}{NODES}", f'{NEW_STUDY}{NODES}x"}}]}}]}}')),
    "study written": MoreReader(commented, ("", "}", '"]\n')),
    "offers": MoreReader(offers, ("", "draw 1 12 declined, ", "takeback ")),
    "course file": MoreReader(lambda text: parse_course(text, "course.toml"), ("", 'game = "cantris"\n', f"{TOML}\n")),
    "tournament file": MoreReader(tournament, ("", 'game = "cantris"\n[entries]\na = "greedy"\nb = "', "[entries]\n")),
    "late.csv": MoreReader(
        lambda text: read_late(encoded(text), "late.csv", COURSE), ("", "id,days,rule\n", "id,days\n1,")
    ),
    "entered.csv": MoreReader(
        lambda text: read_entered(encoded(text), "entered.csv", COURSE),
        ("", "id,rule,points,reason\n", "id,rule,points\n1,report,"),
    ),
    "programs.csv": MoreReader(
        lambda text: read_programs(encoded(text), "programs.csv"), ("", "id,file\n", "id,file\n1,")
    ),
    "extensions.csv": MoreReader(
        lambda text: read_extensions(encoded(text), "extensions.csv", DUE), ("", "id,until\n1,")
    ),
    "parts.csv": MoreReader(lambda text: read_parts(encoded(text), "parts.csv"), ("", "id,percent,reason\n1,")),
    "course file that is edited": MoreReader(edit, ("", "[deadline]\nat = ", f"{TOML}\n")),
    "algorithm": MoreReader(answer("algorithm", CHAIN), ("", "1 ", "-")),
    "console's reports": MoreReader(reports, ("", '{"out": "', '{"waits": ', '{"ended": ')),
    "console's screens": MoreReader(screens, ("", "Your move is ", "order")),
    "console's script": MoreReader(console_script, ("", 'enter = {text = "', '[[answers]]\nafter = "')),
    "a player's name": MoreReader(
        lambda text: (number_of(text), version_of(text), read_name(text)), ("", "bot:", "bot:1@")
    ),
    "password": MoreReader(lambda text: read_password(text, "ada")),
    "proxy": MoreReader(read_proxy, ("", "1.", "::", "1.2.3.4/")),
    "go": MoreReader(lambda text: read_go(text.split()), ("", "nodes ", "movetime -")),
    "sprt": MoreReader(read_sprt, ("", "0,", "-")),
    "list of players": MoreReader(split_players, ("", "a,", '"')),
    "import": MoreReader(imported, ("", NEW_IMPORT, f'{NEW_IMPORT}[Game \\\\"')),
    "board of a request": MoreReader(board, ("", '{"game": "cantris", "rows": [[')),
}
"""Readers of text."""


def downloaded(data: bytes) -> None:
    """Collect what a platform's download holds: names and contents, an empty line between."""
    with ScratchFolder() as folder, ScratchFolder() as staging:
        for number, part in enumerate(data.split(b"\n\n")[:8]):
            name, _, content = part.partition(b"\n")
            plain = os.fsdecode(name.replace(b"/", b"_").replace(b"\0", b"_")[:200])
            (folder / (plain if plain.strip(".") else f"file{number}")).write_bytes(content)
        collect(folder, staging)


def described(name: str, read: Callable[[Path], object]) -> Callable[[bytes], None]:
    """Return a reader that is given a file of that name in a folder with a submission."""

    def read_file_of(data: bytes) -> None:
        with ScratchFolder() as folder:
            (folder / "submission_1").mkdir()
            (folder / "submission_1" / "main.py").touch()
            (folder / name).write_bytes(data)
            read(folder)

    return read_file_of


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)
    return made.getvalue()


def tarred(files: dict[str, bytes], mode: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            item = tarfile.TarInfo(name)
            item.size = len(data)
            archive.addfile(item, io.BytesIO(data))
    return made.getvalue()


def upload(data: bytes) -> None:
    """Read several uploaded files: names and contents, an empty line between."""
    parts = [part.partition(b"\n") for part in data.split(b"\n\n")[:8]]
    read_upload([(os.fsdecode(name), content) for name, _, content in parts], "cantris", None)


def round_trip(game: Game) -> Callable[[bytes], None]:
    """Return a reader of a game's positions, moves and records, which must survive being written."""

    def read(data: bytes) -> None:
        kind, text = data[:1], data[1:].decode("utf-8", "replace")
        if kind == b"p":
            state = game.parse(text)
            assert state.game.parse(state.text) == state
        elif kind == b"m":
            start = game.initial(len(text))
            start.play(game.read_move(start, text))
        else:
            found = Record.parse(f'[Game "{game.name}"]\n{text}')
            assert not HARMFUL.search(found.text)
            again = Record.parse(found.text)
            assert [move.move for move in again.moves] == [move.move for move in found.moves]

    return read


FILES = {"main.py": b"print(1)", "a/b.txt": b"x" * 300}
GRADESCOPE = b"""submission_1:
  :submitters:
  - :name: Ann
    :email: a@x.tw
    :sid: '106001'
  :created_at: 2026-01-01 10:00:00.5 Z
"""
GRADESCOPE_JSON = b'{"users": [{"name": "Ann", "email": "a@x", "sid": "1"}], "created_at": "2026-01-01T10:00:00Z"}'
BYTES: dict[str, MoreReader] = {
    "zip": MoreReader(
        lambda data: read_file("a.zip", File(data), "a.zip"), (zipped(FILES), zipped({"a.zip": zipped(FILES)}))
    ),
    "tar": MoreReader(lambda data: read_file("a.tar", File(data), "a.tar"), (tarred(FILES, "w"),)),
    "tar.gz": MoreReader(lambda data: read_file("a.tar.gz", File(data), "a.tar.gz"), (tarred(FILES, "w:gz"),)),
    "tar.xz": MoreReader(lambda data: read_file("a.tar.xz", File(data), "a.tar.xz"), (tarred(FILES, "w:xz"),)),
    "tar.bz2": MoreReader(lambda data: read_file("a.tar.bz2", File(data), "a.tar.bz2"), (tarred(FILES, "w:bz2"),)),
    "what a build has made": MoreReader(unpacked, (packed({"a": File(b"x"), "b/c": File(b"y", executable=True)}),)),
    "archive of a bot": MoreReader(
        lambda data: bot_of(read_file("a.zip", File(data), "a.zip"), Path("bot")),
        (zipped(FILES), zipped({"b.cpp": b"x"})),
    ),
    "upload": MoreReader(upload, (b"main.py\nprint(1)\n\nbot.toml\nname = 'a'", b"a.zip\n" + zipped(FILES))),
    "a class in a zip": MoreReader(
        lambda data: read_collected(data, TOML, None, "id,name\n106001,Ann\n"),
        (zipped({"106001.py": b"x", "b/c.py": b""}),),
    ),
    "roster.csv": MoreReader(lambda data: read_roster(data, "roster.csv"), (b"id,name,team,email\n1,Ann,red,a@x\n",)),
    "table in any encoding": MoreReader(
        lambda data: decoded(data, "a.csv"), ("學號,名".encode("cp950"), b"\xff\xfea\0")
    ),
    "screen": MoreReader(shown_on_screen, (b"\x1b[2J\x1b[1;1HA5 ", "黑".encode("cp950"))),
    "console's prompts": MoreReader(
        lambda data: prompt(data.decode("utf-8", "replace")), (b"1. ", b"Enter the move (row col): ", b"| . | x |\nA1")
    ),
    "platform's download": MoreReader(
        downloaded,
        (b"Ann Lee_123_assignsubmission_file_a.py\nx", b"leeann_late_12_345_a-1.py\nx\n\nleeann_12_346_b.py\ny"),
    ),
    "gradescope's submissions": MoreReader(
        described(METADATA, lambda folder: collect(folder, folder / "staging", "gradescope")), (GRADESCOPE,)
    ),
    "gradescope's submission": MoreReader(
        described("m.json", lambda folder: gradescope_attempt(folder / "submission_1", folder / "m.json")),
        (GRADESCOPE_JSON,),
    ),
    "openings": MoreReader(
        described("o.txt", lambda folder: read_openings(folder / "o.txt", CANTRIS)),
        (f"# one\n{CANTRIS.initial(1).text}\n".encode(),),
    ),
    **{
        f"round trip of {name}": MoreReader(
            round_trip(ludus.game(name)), (b"p" + ludus.game(name).initial(1).text.encode(), b"mA1", b"r1. A1 {1s}")
        )
        for name in ludus.games()
    },
}
"""Readers of bytes, with something that they read."""
