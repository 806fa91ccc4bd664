"""What a tournament leaves in its folder, read back: the numbers are right, and nobody's name does any harm."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from english import english_in
from markupsafe import escape

from ludus.errors import Fault
from ludus.formats import Reached, schedule
from ludus.messages import Message
from ludus.messages.names import entry_names
from ludus.play.record import Record
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.bracket import MOST_CONTESTS, bracket
from ludus.tournament.output import record_name, table, write_all
from ludus.tournament.pools import ThisProcess
from ludus.tournament.view import tournament_view

SCRIPT = "</title><script>alert('x')</script>"
FORMULA = '=HYPERLINK("http://example.com")'
ENTRIES = {"Greedy": "greedy", SCRIPT: "random:seed=1", FORMULA: "random:seed=2", "隨機 “三”": "random:seed=3"}


def played(game: str = "magnetic-cave", entries: dict[str, str] = ENTRIES, **more: Any) -> Progress:
    progress = Progress(Plan(name=f"Cup of {SCRIPT}", game=game, entries=entries, **more), Ledger("sqlite://"))
    run(progress, ThisProcess())
    return progress


@pytest.fixture(scope="module")
def progress() -> Progress:
    made = played(clock="5/move")
    lost = [row for row in made.results.values() if row.winner is not None and row.first == "Greedy"]
    illegal = replace(lost[0], winner=1, reason="illegal-move", fault=f"it played {SCRIPT}")
    late = replace(lost[1], winner=1, reason="timeout")
    made.results |= {illegal.key: illegal, late.key: late}
    return made


@pytest.fixture(scope="module")
def folder(progress: Progress, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("out") / "deep" / "results"
    write_all(progress, out)
    return out


def page(folder: Path) -> ElementTree.Element:
    return ElementTree.parse(folder / "index.html").getroot()  # noqa: S314 - our own


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def said_by(root: ElementTree.Element) -> str:
    return " ".join(root.itertext())


def test_the_page_stands_alone_and_is_well_formed(folder: Path) -> None:
    root = page(folder)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "iframe", "img", "link", "object", "form", "base", "image", "use"}
    links = [element.attrib["href"] for element in root.iter() if "href" in element.attrib]
    assert links
    assert all((folder / link).exists() for link in links)
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    style = "".join(element.text or "" for element in root.iter() if element.tag.endswith("style"))
    assert "url(" not in style
    assert "@import" not in style
    assert style.count("prefers-color-scheme") == 5  # the page and its four plots
    assert len([element for element in root.iter() if element.tag.endswith("svg")]) == 4


def test_hostile_names_are_shown_and_do_nothing(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert escape(SCRIPT) in text
    assert f"Cup of {SCRIPT}" in said_by(page(folder))
    for path in (folder / "plots").iterdir():
        assert "<script" not in path.read_text(encoding="utf-8")
        ElementTree.parse(path)  # noqa: S314 - our own


def test_spreadsheets_get_no_formula(folder: Path) -> None:
    assert (folder / "games.csv").read_bytes().startswith(b"\xef\xbb\xbfpairing,")
    for name in ("games.csv", "standings.csv"):
        for row in rows_of(folder / name):
            for cell in row.values():
                assert cell[:1] not in {"=", "@", "\t"}
                assert cell[:1] not in {"+", "-"} or re.fullmatch(r"-[\d.e+-]+", cell)
    assert f"'{FORMULA}" in {row["entry"] for row in rows_of(folder / "standings.csv")}
    text = table(("name", "margin"), [("-1+cmd|' /C calc'!A0", -3), ("＝1", 0)])
    assert text == "\ufeffname,margin\n'-1+cmd|' /C calc'!A0,-3\n'＝1,0\n"


def test_no_formula_begins_where_a_spreadsheet_ends_cells_at_semicolons() -> None:
    names = ["a;=1+cmd|' /C calc'!A0", "a; @x", "a\n+1;;-2", "b; 2-1; c=d"]
    text = table(("name",), [(name,) for name in names]).removeprefix("\ufeff")
    cells = [cell.strip(' "') for line in text.splitlines() for cell in line.split(";")]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "b; 2-1; c=d" in text, "nothing else is changed"


def test_the_numbers_are_those_of_the_games(progress: Progress, folder: Path) -> None:
    games = rows_of(folder / "games.csv")
    assert len(games) == len(progress.results) == 12
    assert "record" not in games[0]
    said = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    for line in said["standings"]:
        own = [row for row in progress.results.values() if line["entry"] in row.entries]
        won = [row for row in own if row.winner_entry == line["entry"]]
        assert (line["games"], line["wins"]) == (6, len(won))
        assert line["wins"] + line["draws"] + line["losses"] == line["games"]
        assert line["score"] == (line["wins"] + line["draws"] / 2) / 6
        assert line["rating"]["low"] < line["rating"]["elo"] < line["rating"]["high"]
    assert [line["entry"] for line in said["standings"]] == [row.entry for row in progress.schedule.standings().rows]
    assert sum(pair["wins"] + pair["draws"] + pair["losses"] for pair in said["met"]) == 12
    assert rows_of(folder / "standings.csv")[0]["entry"].removeprefix("'") == said["standings"][0]["entry"]
    assert all(line["explanation"] in said_by(page(folder)) for line in said["standings"][1:] if not line["decided_by"])


def test_failures_are_counted_by_entry_and_kind_with_their_sentence(folder: Path) -> None:
    said = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert said["failures"] == [
        {
            "entry": "Greedy",
            "kind": "illegal-move",
            "games": 1,
            "sentences": [f"it played {SCRIPT}"],
            "messages": [None],
        },
        {
            "entry": "Greedy",
            "kind": "timeout",
            "games": 1,
            "sentences": ["its time ran out before it answered"],
            "messages": [{"code": "faults.timeout", "params": {}}],
        },
    ]
    assert {line["entry"]: line["failures"] for line in said["standings"]} == dict.fromkeys(ENTRIES, 0) | {"Greedy": 2}
    assert "its time ran out before it answered" in said_by(page(folder))


def test_records_are_whole_and_read_back(progress: Progress, folder: Path) -> None:
    paths = sorted((folder / "records").iterdir())
    assert [path.name for path in paths] == sorted(record_name(*key) for key in progress.results)
    for key, row in progress.results.items():
        record = Record.load(folder / "records" / record_name(*key))
        assert len(record.moves) == row.moves


def test_it_is_written_again_cleanly(progress: Progress, tmp_path: Path) -> None:
    write_all(progress, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "records" / "mine.md").write_text("mine")
    (tmp_path / "records" / "R99.1-0-1.txt").write_text("of an earlier draw")
    (tmp_path / "plots" / "bracket.svg").write_text("of an earlier format")
    (tmp_path / "index.html").write_text("torn")
    write_all(progress, tmp_path)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after.pop(tmp_path / "records" / "mine.md") == b"mine"
    assert after == before


@pytest.mark.parametrize(
    "key", ["../../etc/passwd", "a/b", "", "..", "CON:", "x" * 500, "名", "<b>", "-rf", "\x00\ud800"]
)
def test_record_names_are_harmless_and_their_own(key: str) -> None:
    name = record_name(key, 0, 1)
    assert re.fullmatch(r"[A-Za-z0-9_+][A-Za-z0-9._+-]{0,100}-0-1\.txt", name)
    assert name != record_name(key + "?", 0, 1)
    assert record_name("R1.10", 2, 0) == "R1.10-2-0.txt"


def test_a_double_elimination_has_its_bracket(tmp_path: Path) -> None:
    entries = {f"Team {letter}": f"random:seed={index}" for index, letter in enumerate("ABCDE")} | {SCRIPT: "greedy"}
    write_all(played("cantris", entries, format="double-elimination"), tmp_path)
    svg = ElementTree.parse(tmp_path / "plots" / "bracket.svg").getroot()  # noqa: S314 - our own
    said = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    contests = {c["key"]: c for one in said["bracket"] for c in one["contests"] if not c["bye"]}
    assert {element.text for element in svg.iter() if element.tag.endswith("title")} >= set(contests)
    final = contests.get("F2", contests["F1"])
    assert final["slots"][final["winner"]]["entry"] == said["standings"][0]["entry"]
    assert "won the final" in said_by(page(tmp_path))
    assert any(int(row["margin"]) for row in rows_of(tmp_path / "games.csv"))


@pytest.mark.parametrize("name", ["knockout", "double-elimination"])
@pytest.mark.parametrize("count", [2, 3, 13, 500])
def test_brackets_of_any_size_before_and_after(name: str, count: int) -> None:
    drawn = schedule(name, [f"entry {index}" for index in range(count)], seed=1)
    ElementTree.fromstring(bracket(drawn.bracket()))  # noqa: S314 - our own
    queue = [*drawn.playable.values()]
    while queue:
        queue += drawn.add(queue.pop().result(wins=2))
    svg = bracket(drawn.bracket())
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    assert ("the first rounds are not shown" in svg) == (count > 2 * MOST_CONTESTS)
    assert float(root.attrib["height"]) < 2 * MOST_CONTESTS * 70 * 2
    boxes = [(e.attrib["x"], e.attrib["y"]) for e in root.iter() if e.get("class") == "paper axis-line"]
    assert len(boxes) == len(set(boxes)) >= 1


def test_a_match_that_stopped_early_shows_its_games(tmp_path: Path) -> None:
    entries = {"random": "random:seed=1", "greedy": "greedy"}
    plan = Plan(name="match", game="chain-reaction", entries=entries, pairs=20, clock="60+1")
    progress = Progress(plan, Ledger("sqlite://"))
    run(progress, ThisProcess(), until=lambda now: len(now.results) >= 8)
    write_all(progress, tmp_path)
    said = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert not said["finished"]
    assert [line["games"] for line in said["standings"]] == [8, 8]
    assert [line["rank"] for line in said["standings"]] == [1, 2]
    assert said["standings"][0]["rating"]["elo"] >= said["standings"][1]["rating"]["elo"]
    assert "The tournament is not finished." in said_by(page(tmp_path))


def test_two_hundred_entries(progress: Progress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {f"player {index}": "random" for index in range(200)}
    plan = Plan(name="large", game="magnetic-cave", entries=entries, format="swiss")
    large = Progress(plan, Ledger("sqlite://"))
    sample = next(iter(progress.results.values()))
    monkeypatch.setattr(Ledger, "add", lambda *_: None)
    while (task := large.next_task()) is not None:
        winner = min((0, 1), key=lambda side: int(task.entries[side].split()[1]))
        place = replace(sample, pairing=task.pairing, board=task.board, seats=task.seats)
        first, second = task.entries
        large.add([replace(place, first=first, second=second, winner=winner, reason="rules")])
    write_all(large, tmp_path)
    view = tournament_view(large)
    assert view.finished
    assert view.standings[0].entry == "player 0"
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert len(text) < 4_000_000
    assert text.count("<summary>Round ") == 10
    assert len(list((tmp_path / "records").iterdir())) == len(large.results) == 2000


NAMELESS = {text: text for text in ("random:seed=1", "greedy", "minimax:depth=1", "mcts:playouts=20")}


@pytest.fixture(scope="module")
def nameless() -> Progress:
    """Players without names of their own, in a bracket."""
    return played("cantris", NAMELESS, options={"rows": 4, "cols": 3}, format="double-elimination", pairs=1)


def test_players_without_names_are_shown_as_what_they_are_called(nameless: Progress, tmp_path: Path) -> None:
    """On the page and in its plots; data keeps the texts."""
    write_all(nameless, tmp_path)
    shown = " ".join(page(tmp_path).itertext())
    assert {"MCTS, 20 playouts", "Minimax, depth 1", "Random, seed 1", "Greedy"} <= set(
        re.findall("MCTS, 20 playouts|Minimax, depth 1|Random, seed 1|Greedy", shown)
    )
    assert not [text for text in NAMELESS if text in shown]
    assert {line["entry"] for line in json.loads((tmp_path / "results.json").read_text())["standings"]} == set(NAMELESS)


def chinese_page(progress: Progress, folder: Path) -> str:
    """Write the files in Chinese, and return all that the page shows, the words of its tooltips included."""
    write_all(progress, folder, "zh")
    root = page(folder)
    for element in root.iter():
        if element.tag.endswith("style"):
            element.text = ""
    titles = [element.attrib["title"] for element in root.iter() if "title" in element.attrib]
    return " ".join([*root.itertext(), *titles])


def test_the_page_of_a_bracket_in_chinese_has_no_english(nameless: Progress, tmp_path: Path) -> None:
    shown = chinese_page(nameless, tmp_path)
    assert english_in(shown, "Cup of " + SCRIPT, "Minimax", "Cantris") == []
    assert "晉級輪次" in shown and "冠軍" in shown


@pytest.mark.parametrize("form", ["round-robin", "swiss", "king-of-the-hill", "ladder"])
def test_the_page_of_any_format_in_chinese_has_no_english(form: str, tmp_path: Path) -> None:
    """With what only some pages say: failures, games that were played again, groups that never met, no clock."""
    entries = {f"程式{number}": f"random:seed={number}" for number in range(1, 5)}
    plan = Plan(name="盃賽", game="magnetic-cave", entries=entries, format=form, clock="cpu:60")
    progress = Progress(plan, Ledger("sqlite://"))
    run(progress, ThisProcess(), until=lambda now: len(now.results) >= (12 if form == "swiss" else 4))
    first, second, *_ = progress.results.values()
    illegal = Fault("illegal-move", Message("rules.timeout", loser="甲")).message
    progress.results[first.key] = replace(
        first, winner=1, reason="illegal-move", fault=str(illegal), fault_message=illegal
    )
    progress.results[second.key] = replace(second, winner=1, reason="timeout")
    progress.replays = 2
    assert english_in(chinese_page(progress, tmp_path)) == []


def test_entries_that_would_be_called_the_same_keep_their_texts() -> None:
    both = {"mcts:playouts=20": "mcts:playouts=20", "mcts:playouts=20.0": "mcts:playouts=20.0"}
    assert entry_names(both) == both
    assert entry_names({"Ada": "greedy", "greedy": "greedy"}) == {"Ada": "Ada", "greedy": "Greedy"}


def test_how_far_an_entry_came_is_data(nameless: Progress) -> None:
    """A code for those who say it in another language, besides the words."""
    view = tournament_view(nameless)
    for line in view.standings:
        reached = line.codes["reached"]
        assert str(Reached(reached.code, reached.number).message) == line.criteria["reached"]
    assert view.standings[0].codes["reached"].code == "won-final"
    origins = [slot.origin.kind for one in view.bracket for contest in one.contests for slot in contest.slots]
    assert {"place", "winner", "loser"} <= set(origins)


def test_a_bracket_in_chinese_has_no_english_stage() -> None:
    open_ = schedule("double-elimination", [f"選手{number}" for number in range(8)], seed=1).bracket()
    third = schedule("knockout", [f"選手{number}" for number in range(8)], seed=1, third_place="yes").bracket()
    for rounds in (open_, third):
        words = re.findall(r"<text[^>]*>([^<]*)</text>", bracket(rounds, language="zh"))
        assert words and not [one for one in words if re.search("[a-z]{3}", one)]
