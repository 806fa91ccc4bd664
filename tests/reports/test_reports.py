"""Reports: the PDF is made, says the right numbers in both languages, and takes anybody's text as text."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pdf_text import pages_of, words_of
from variants import variants

import ludus
from ludus import reports
from ludus.bots import read_bot
from ludus.cli import main
from ludus.cli.actions.report import split_players
from ludus.errors import Fault
from ludus.messages import Message, render, verbatim
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.play.record import Record
from ludus.play.result import GameResult
from ludus.reports import make_pdf, plain, review, write_source
from ludus.reports.bot import BotReportOptions, bot_report
from ludus.reports.game import game_report
from ludus.reports.history import History
from ludus.reports.lessons import lessons
from ludus.reports.scores import time_plot
from ludus.reports.tournament import find, tournament_report
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.pools import ThisProcess

HOSTILE = ('#panic("code")', "$x^2$ *bold* _it_", "<b>html</b> \\ @ref `raw`", "邱詠智 \u202e106062130", "=1+1")
LAST_MOVE = """\
def choose(state, clock):
    return state.legal_moves[-1]
"""
FIRST_MOVE = "def choose(state, clock):\n    return state.legal_moves[0]\n"


def fonts_of(pdf: Path) -> list[list[str]]:
    said = subprocess.run(["pdffonts", pdf], capture_output=True, check=True, text=True).stdout
    return [line.split() for line in said.splitlines()[2:]]


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=王小明", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small bot with a name and a description in Chinese, and a history of two versions."""
    folder = tmp_path_factory.mktemp("submission") / "學生"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "小明 #1"\ngame = "cantris"\nmain = "bot.py"\nprotocol = "python"\n')
    (folder / "bot.py").write_text(FIRST_MOVE)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "第一版 #let x = 1")
    (folder / "bot.py").write_text(LAST_MOVE)
    (folder / "README.md").write_text("# 策略\n\n總是選最後一個 $x$.\n\n- 簡單\n- 快速\n\n```\n#panic()\n```\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "last move instead of first")
    return folder


@pytest.fixture(scope="module")
def about_bot(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> reports.Report:
    ledger = tmp_path_factory.mktemp("ledger") / "games.db"
    options = BotReportOptions(
        str(bot), "cantris", {"rows": 6, "cols": 3}, ("random:seed=4", "greedy"), games=2, nodes=500, versions=2,
        ledger=str(ledger), trusted=True, jobs=1,
    )  # fmt: skip
    made = bot_report(options)
    games = [len(Ledger(ledger).games(number)) for number in (1, 2)]
    again = bot_report(options)
    assert again.data == made.data, "what is known is not played again, and says the same"
    assert [len(Ledger(ledger).games(number)) for number in (1, 2)] == games
    return made


def test_a_bot_report_counts_what_was_played(about_bot: reports.Report) -> None:
    data = about_bot.data
    assert data["bot"] == "小明 #1"
    assert [one["name"] for one in data["opponents"]] == ["random:seed=4", "greedy"]
    for one in data["opponents"]:
        assert one["wins"] + one["draws"] + one["losses"] == one["games"] == 2
        assert one["passed"] == (one["wins"] > one["losses"])
    assert data["own"]["games"] == 4 and data["own"]["of"] == 3
    assert [line["entry"] for line in data["standings"] if line["own"]] == ["小明 #1"]
    assert sum(grade["count"] for grade in data["review"]["grades"]) == data["review"]["total"]["moves"]
    assert data["lost_games"] == sum(one["losses"] for one in data["opponents"])
    assert data["code"]["text"].splitlines()[0] == "def choose(state, clock):"
    assert [part["kind"] for part in data["description"]] == ["heading", "text", "item", "item", "code"]


def test_a_bot_report_takes_in_what_was_played_elsewhere(bot: Path, tmp_path: Path) -> None:
    options = BotReportOptions(
        "bot:1@1", "cantris", {"rows": 6, "cols": 3}, ("random:seed=4", "greedy"), games=2, nodes=200,
        ledger=str(tmp_path / "games.db"), trusted=True, jobs=1, bot=read_bot(bot),
    )  # fmt: skip
    alone = bot_report(options).data
    assert (alone["elsewhere"], alone["traced"]) == ([], False), "no path leads to its history"
    with contextlib.closing(Ledger(tmp_path / "games.db")) as ledger:
        rows = [replace(row, board=row.board + 1) for row in ledger.games(1) if "greedy" in row.entries]
    own = [row for row in rows if alone["bot"] in row.entries]
    own[0] = replace(own[0], reason="crash", fault="it fell", winner=1 - own[0].side(alone["bot"]))
    both = bot_report(replace(options, elsewhere=tuple(own))).data
    assert [(one["name"], one["games"]) for one in both["elsewhere"]] == [("greedy", 2)]
    assert (both["opponents"], both["standings"]) == (alone["opponents"], alone["standings"])
    assert both["review"]["games"] == alone["review"]["games"] + 2
    assert [(line["kind"], line["sentences"]) for line in plain(both["failures"])] == [("crash", ["it fell"])]


def test_a_bot_report_shows_its_history(about_bot: reports.Report) -> None:
    assert [commit["subject"] for commit in about_bot.data["commits"]] == [
        "last move instead of first",
        "第一版 #let x = 1",
    ]
    versions = about_bot.data["versions"]
    assert [line["subject"] for line in versions] == ["第一版 #let x = 1", ""]
    assert versions[-1]["score"] == about_bot.data["own"]["share"]


def test_lessons_are_the_dearest_moves(about_bot: reports.Report) -> None:
    data = about_bot.data
    assert 1 <= len(data["positions"]) <= 3
    losses = [int(position["loss"][:-1]) for position in data["positions"]]
    assert losses == sorted(losses, reverse=True) and losses[-1] >= 2
    for position in data["positions"]:
        state = ludus.game("cantris").parse(position["position"])
        assert {position["move"], position["best"]} <= set(state.legal_moves)
        assert position["move"] != position["best"]
        assert "stroke-dasharray" in str(about_bot.pictures[position["picture"]])


@pytest.mark.parametrize(
    ("language", "headings"),
    [
        ("en", ["Project description", "Program flow chart", "Against the course's opponents", "Where it loses"]),
        ("zh", ["專案說明", "程式流程圖", "與課程指定對手比較", "敗因分析", "值得學習的局面"]),
    ],
)
def test_a_bot_report_prints(about_bot: reports.Report, tmp_path: Path, language: str, headings: list[str]) -> None:
    out = tmp_path / "report.pdf"
    assert make_pdf(about_bot, out, language) == []
    said = words_of(out)
    for words in [*headings, "小明 #1", "王小明", "第一版 #let x = 1", "總是選最後一個 $x$.", "#panic()"]:
        assert words.replace(" ", "") in said
    data = about_bot.data
    for one in data["opponents"]:
        verdict = render(Message("reports.pass" if one["passed"] else "reports.fail"), language)
        name = render(one["title"], language).replace(" ", "")
        row = f"{name}{one['wins']}{one['draws']}{one['losses']}{one['score']}{one['low']}–{one['high']}"
        assert row in said and verdict in said
    for position in data["positions"]:
        assert f"{position['before']}→{position['after']}" in said
    assert 3 <= pages_of(out) <= 10
    fonts = fonts_of(out)
    assert any("CJK" in font[0] for font in fonts)
    assert all("yes" in font for font in fonts), "every font is embedded"


def test_the_source_compiles_again(about_bot: reports.Report, tmp_path: Path) -> None:
    import typst  # noqa: PLC0415 - the others do not need it by name

    main_file = write_source(about_bot, tmp_path / "report", "zh")
    edited = main_file.read_text().replace('#let author = ""', '#let author = "王小明同學"')
    main_file.write_text(edited)
    (tmp_path / "again.pdf").write_bytes(typst.compile(main_file))
    assert "王小明同學" in words_of(tmp_path / "again.pdf")
    with pytest.raises(ValueError, match=r"report.typ already exists"):
        write_source(about_bot, tmp_path / "report")
    assert main_file.read_text() == edited


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A tournament of hostile names, one of whose entries is gone and another fails."""
    where = tmp_path_factory.mktemp("ledger")
    gone = where / "gone.py"
    gone.write_text(FIRST_MOVE)
    texts = ("greedy", "random:seed=1", str(gone), "random:seed=2", "lines:false")
    name = '期末賽 #eval("1+1")'
    plan = Plan(
        name=name,
        game="cantris",
        entries=dict(zip(HOSTILE, texts, strict=True)),
        format="knockout",
        options={"rows": 6, "cols": 3},
        trusted=True,
    )
    run(Progress(plan, Ledger(where / "games.db")), ThisProcess())
    gone.unlink()
    return str(where / "games.db"), name


def test_a_tournament_report_prints(ledger: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "t.pdf"
    progress = find(*ledger)
    made = tournament_report(progress)
    assert {"ratings", "matrix", "bracket"} <= set(made.pictures)
    assert make_pdf(made, out) == []
    said = words_of(out)
    for name in (ledger[1], *HOSTILE):
        assert name.replace(" ", "").replace("\u202e", "\ufffd") in said
    assert f"{len(progress.results)}games" in said
    assert "itendedwithexitstatus1beforeitanswered" in said
    make_pdf(made, out, "zh")
    said = words_of(out)
    assert all(words in said for words in ("實力估計", "對戰勝負", "對局長度", "對戰樹", "時間使用"))
    assert "單敗淘汰" in said and "晉級" in said
    assert 2 <= pages_of(out) <= 6


def test_a_tournament_is_found_or_named(ledger: tuple[str, str], tmp_path: Path) -> None:
    where, name = ledger
    assert find(where).plan.name == name
    with pytest.raises(ValueError, match="choose one of 期末賽"):
        find(where, "spring")
    with pytest.raises(ValueError, match="there is no such ledger"):
        find(str(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()


def test_what_is_no_tournament_is_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    course = Ledger(tmp_path / "course.db")
    course.tournament("spring", {})
    Ledger(tmp_path / "other.db").tournament("old", {"game": "cantris", "players": {}})
    Ledger(tmp_path / "none.db").close()
    (tmp_path / "text.db").write_text("hello")
    (tmp_path / "empty.db").touch()
    with contextlib.closing(sqlite3.connect(tmp_path / "theirs.db")) as theirs:
        theirs.execute("CREATE TABLE things (name)")
    before = (tmp_path / "theirs.db").read_bytes()
    for words, complaint in (
        (["course.db"], "spring is a course, not a tournament"),
        (["course.db", "spring"], "spring is a course, not a tournament"),
        (["other.db"], "other.db: old was written by another version of Ludus"),
        (["none.db"], "it contains no tournaments"),
        (["text.db"], "this is not a ledger"),
        (["empty.db"], "this is not a ledger"),
        (["theirs.db"], "this is not a ledger"),
    ):
        assert (
            main(["report", "tournament", str(tmp_path / words[0]), *words[1:], "--out", str(tmp_path / "r.pdf")]) == 2
        )
        said = capfd.readouterr().err
        assert complaint in said and said.count("\n") == 1
    assert (tmp_path / "theirs.db").read_bytes() == before
    assert (tmp_path / "empty.db").stat().st_size == 0


def test_a_tournament_without_a_game_has_a_report(tmp_path: Path) -> None:
    entries = {"a": "greedy", "b": "random:seed=1"}
    plan = Plan(name="soon", game="cantris", entries=entries, options={"rows": 6, "cols": 3})
    Progress(plan, Ledger(tmp_path / "games.db"))
    make_pdf(tournament_report(find(str(tmp_path / "games.db"))), tmp_path / "r.pdf")
    assert "soon" in words_of(tmp_path / "r.pdf")


@pytest.fixture
def record(name: str) -> Record:
    played = ludus.play_match(ludus.game(name, **variants(name)["larger"][0]), ("random:seed=1", "greedy"), seed=2)
    played.players = (HOSTILE[0], HOSTILE[3])
    return played


def test_a_game_report_prints(record: Record, tmp_path: Path) -> None:
    out = tmp_path / "game.pdf"
    made = game_report(record, nodes=500)
    make_pdf(made, out, "zh")
    said = words_of(out)
    assert "勝率走勢" in said and HOSTILE[0] in said and "邱詠智" in said
    assert "先手勝率與已下步數" in said and "moves played" not in said, "a plot speaks the language of its report"
    assert [line["move"] for line in made.data["moves"]] == [played.move for played in record.moves]
    assert sum(grade["count"] for side in made.data["by_side"] for grade in side["grades"]) == len(record.moves)
    turning = made.data["turning"]
    if turning is not None:
        assert any(moment["number"] == turning for moment in made.data["moments"])
    for moment in made.data["moments"]:
        assert f"{moment['before']}→{moment['after']}" in said
    assert pages_of(out) <= 6


def test_a_fault_in_a_chinese_report_is_chinese(tmp_path: Path) -> None:
    """Also of a record that was saved and read again; what somebody wrote into it is shown as it is."""
    match = Match(ludus.game("chain-reaction").initial(), ("a", "b"), Clock())
    match.play("A1")
    match.fail(1, Fault("crash", Message("faults.exit_status", status=3)))
    read = Record.parse(match.record.text)
    assert read.fault is not None
    assert render(read.fault, "zh") == render(Message("faults.exit_status", status=3), "zh") != str(read.fault)
    make_pdf(game_report(read, nodes=100), tmp_path / "game.pdf", "zh")
    assert re.sub(r"\s", "", render(read.fault, "zh")) in words_of(tmp_path / "game.pdf")
    for data in ("{", "[" * 100_000, '{"code": 3, "params": {}}', '{"code": "faults.crash", "params": 1}', "7"):
        read.headers |= {"Fault": "it went home", "FaultData": data}
        assert Record.parse(read.text).fault == verbatim("it went home")
    match.undo()
    assert match.record.fault is None and not match.record.headers


def test_a_judged_game_is_remembered(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = review.review_game(record, 200, tmp_path / "judged")
    [kept] = (tmp_path / "judged").iterdir()
    review.review_game(record, 300, tmp_path / "judged")
    assert len(list((tmp_path / "judged").iterdir())) == 2, "other nodes may judge otherwise"

    def no_engine(*_: object, **__: object) -> None:
        raise AssertionError("it was judged before")

    with monkeypatch.context() as patched:
        patched.setattr(review, "review", no_engine)
        assert review.review_game(record, 200, tmp_path / "judged").moves == first.moves
    kept.write_text('[["torn')
    again = review.review_game(record, 200, tmp_path / "judged")
    assert [one.judged.best for one in again.moves] == [one.judged.best for one in first.moves]


def test_an_empty_record_has_no_report() -> None:
    with pytest.raises(ValueError, match="no move"):
        game_report(Record(ludus.game("cantris").initial()))


def test_the_verb_writes_what_it_says(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "record.txt"
    ludus.play_match(ludus.game("cantris"), ("greedy", "random:seed=1")).save(saved)
    pdf = tmp_path / "g.pdf"
    assert main(["report", "game", str(saved), "--nodes", "200", "--out", str(pdf)]) == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    folder = tmp_path / "source"
    words = ["report", "game", str(saved), "--nodes", "200", "--format", "typ", "--out", str(folder)]
    assert main(words) == 0
    assert json.loads((folder / "data.json").read_text())["language"] == "en"
    assert main(words) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert "report.typ already exists" in said.err and "Traceback" not in said.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["bot", "greedy"], "it is not clear which game greedy plays"),
        (["bot", "nobody", "--game", "cantris"], "there is no player 'nobody'"),
        (["bot", "greedy", "--game", "chess"], "there is no game 'chess'"),
        (["bot", "greedy", "--game", "cantris", "--opponents", "nobody"], "there is no player 'nobody'"),
        (["game", "none.txt"], "none.txt: no such file"),
        (["tournament", "none.db"], "none.db: there is no such ledger"),
        (["bot", "greedy", "--game", "cantris", "--out", "none/report.pdf"], "there is no such folder"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *words]) == 2
    said = capfd.readouterr().err
    assert complaint in said and said.count("\n") == 1


def test_without_typst_there_is_a_remedy(
    about_bot: reports.Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ValueError, match="pip install typst"):
        make_pdf(about_bot, tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []


def test_without_a_chinese_font_the_package_is_named(
    about_bot: reports.Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reports, "CHINESE_FONTS", ("No such font",))
    [note] = make_pdf(about_bot, tmp_path / "report.pdf")
    assert "fonts-noto-cjk" in str(note)
    assert pages_of(tmp_path / "report.pdf") >= 3


def test_data_is_what_json_and_paper_can_hold() -> None:
    given = {"a\x00": ["\ud800", 1.5, float("inf"), float("nan")], "b": ("\u202e", None, True)}
    assert plain(given) == {"a\ufffd": ["\ufffd", 1.5, None, None], "b": ["\ufffd", None, True]}


def test_opponents_are_parted_at_their_commas() -> None:
    assert split_players("random,engine:nodes=5,threads=2,greedy") == ["random", "engine:nodes=5,threads=2", "greedy"]
    assert split_players("alphabeta:depth=2,minimax:depth=1") == ["alphabeta:depth=2", "minimax:depth=1"]


def test_a_history_runs_nothing_of_its_repository(bot: Path, tmp_path: Path) -> None:
    """A submission's git configuration may name programs; none of them is started."""
    caught = tmp_path / "caught"
    config = bot / ".git" / "config"
    before = config.read_text()
    trap = f"touch {caught}"
    config.write_text(
        f'{before}\n[core]\n\tfsmonitor = "{trap}"\n\tpager = "{trap}"\n[log]\n\tshowSignature = true\n'
        f'[gpg]\n\tprogram = "{trap}"\n[filter "trap"]\n\tsmudge = "{trap}"\n'
    )
    (bot / ".git" / "info").mkdir(exist_ok=True)
    (bot / ".git" / "info" / "attributes").write_text("* filter=trap\n")
    try:
        with contextlib.closing(History(bot)) as history:
            assert len(history.commits) == 2
            assert history.pack(history.commits[-1], tmp_path / "old.tar")
    finally:
        config.write_text(before)
    assert not caught.exists()


def game_of(start: ludus.State) -> GameResult:
    """Play a game of a weak player against `greedy`, and give its result."""
    record = ludus.play_match(start.game, ("random:seed=1", "greedy"), start=start)
    assert record.outcome is not None
    return GameResult("", 0, 0, "random:seed=1", "greedy", record.outcome.winner, "rules", record=record.text)


def test_games_of_one_board_that_start_differently_are_openings_apart() -> None:
    """A program at a terminal cannot be told a position: its games begin with the usual one."""
    starts = [ludus.game("cantris", rows=6, cols=3).initial(seed) for seed in (1, 2)]
    pictures: dict[str, reports.Picture] = {}
    found = lessons([game_of(start) for start in starts], starts[0].game, "random:seed=1", 50, pictures)
    assert len(found["openings"]) == 2
    assert len({pictures[one["picture"]] for one in found["openings"]}) == 2, "each is drawn"


def test_times_are_drawn_against_those_against_whom_they_were_measured() -> None:
    played = game_of(ludus.game("cantris", rows=6, cols=3).initial(1))
    assert "Greedy" in time_plot([played], "random:seed=1", "3/move", ["engine:level=1"])("en")
    assert time_plot([], "random:seed=1", "3/move", ["greedy"])("en"), "nothing was measured"


def test_words_break_where_their_language_allows_it(tmp_path: Path) -> None:
    """Long names may break anywhere; no Chinese line begins with a comma."""
    import typst  # noqa: PLC0415 - the others do not need it by name

    source = write_source(reports.Report("game", {}, {}), tmp_path, "zh")
    said = ("第一階段：先後手都能照規則下，每步三秒內", "a_very_long_name_without_a_blank", "primary-expression")
    main = source.with_name("words.typ")
    main.write_text('#import "style.typ": shown\n' + "".join(f'#metadata(shown("{one}")) <said>\n' for one in said))
    chinese, english, hyphened = json.loads(typst.query(str(main), "<said>", field="value"))
    assert (chinese, hyphened) == (said[0], said[2])
    assert english.split("\u200b") == ["a_very_long_na", "me_without_a_b", "lank"]


def test_no_history_is_no_commit(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with contextlib.closing(History(folder)) as history:
            assert history.commits == ()
