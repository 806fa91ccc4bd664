"""Pages of reports as their readers see them: none nearly empty, no heading parted from what follows, a position on one
line, every word in the report's language, and a tie-break named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from english import english_in
from pdf_text import bad_pages, page_lines, words_of

import ludus
from ludus.formats import draw_bracket
from ludus.messages import render
from ludus.reports import LANGUAGES, Report, make_pdf, plain
from ludus.reports.game import game_report
from ludus.reports.tournament import tournament_report
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.output import write_all
from ludus.tournament.pools import ThisProcess
from ludus.tournament.view import default_name, tournament_view

FIELD = {"甲": "greedy", "乙": "greedy", "丙": "random:seed=1", "丁": "random:seed=2", "戊": "greedy"}
SMALL = {"rows": 6, "cols": 3}


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Progress:
    """A double elimination in which equal players meet in the final: both games of a pairing are won by one seat."""
    ledger = Ledger(tmp_path_factory.mktemp("cup") / "games.db")
    plan = Plan(name="盃賽", game="cantris", entries=FIELD, format="double-elimination", options=SMALL, seed=3)
    progress = Progress(plan, ledger)
    run(progress, ThisProcess())
    return progress


@pytest.fixture(scope="module")
def papers(cup: Progress, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    ledger = Ledger(tmp_path_factory.mktemp("others") / "games.db")
    made = {"cup": tournament_report(cup)}
    for form in ("round-robin", "swiss", "ladder"):
        plan = Plan(name=form, game="cantris", entries=FIELD, format=form, options=SMALL, clock="cpu:10/move", seed=3)
        progress = Progress(plan, ledger)
        run(progress, ThisProcess())
        made[form] = tournament_report(progress)
    for name, options in (("cantris", {"rows": 10, "cols": 5}), ("chain-reaction", {})):
        record = ludus.play_match(ludus.game(name, **options), ("random:seed=1", "greedy"), seed=2)
        made[name] = game_report(record, nodes=300)
    return made


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_full_and_headings_stay_with_what_follows(
    papers: dict[str, Report], tmp_path: Path, language: str
) -> None:
    for name, report in papers.items():
        make_pdf(report, tmp_path / "report.pdf", language)
        assert bad_pages(tmp_path / "report.pdf", language) == [], name


def test_a_tournament_of_many_with_long_names_fits_its_pages(tmp_path: Path) -> None:
    """The plot of the ratings is as high as a page: its heading must not stay behind on an empty one."""
    entries = {f"Maximiliana Alexandrovna von {number}": f"random:seed={number}" for number in range(90)}
    name = default_name("swiss", 90)
    small = {"rows": 4, "cols": 3}
    plan = Plan(name=name, game="cantris", entries=entries, format="swiss", format_options={"rounds": 1}, options=small)
    progress = Progress(plan, Ledger(tmp_path / "games.db"))
    run(progress, ThisProcess())
    make_pdf(tournament_report(progress), tmp_path / "report.pdf", "en")
    assert bad_pages(tmp_path / "report.pdf", "en") == []
    lines = [line.strip() for page in page_lines(tmp_path / "report.pdf") for line in page]
    assert lines[0] == "Swiss, 90 players"
    standings = lines[: next(at for at, line in enumerate(lines) if line.startswith("1.1"))]
    assert sum("Maximiliana Alexandrovna von" in line for line in standings) == 90 + 1, "a line each, and the winner's"


def test_a_position_is_on_one_line(papers: dict[str, Report], tmp_path: Path) -> None:
    for name in ("cantris", "chain-reaction"):
        make_pdf(papers[name], tmp_path / "report.pdf")
        lines = [re.sub(r"\s+", " ", line) for page in page_lines(tmp_path / "report.pdf") for line in page]
        positions = [moment["position"] for moment in papers[name].data["moments"]]
        assert positions
        for position in positions:
            assert any(position in line for line in lines), position


def test_every_word_of_a_chinese_report_is_chinese(papers: dict[str, Report], tmp_path: Path) -> None:
    for name, report in papers.items():
        make_pdf(report, tmp_path / "report.pdf", "zh")
        text = "\n".join(line for page in page_lines(tmp_path / "report.pdf") for line in page)
        assert english_in(text, name) == [], name


def test_all_moves_of_a_game_are_listed_in_their_order(papers: dict[str, Report], tmp_path: Path) -> None:
    make_pdf(papers["cantris"], tmp_path / "report.pdf")
    moves = papers["cantris"].data["moves"]
    lines = " ".join(line for page in page_lines(tmp_path / "report.pdf") for line in page)
    sides = plain(papers["cantris"].data["sides"])
    for move in moves:
        assert re.search(rf"{move['number']}\.\s+{sides[move['side']]}\s+{move['move']}", lines), move["number"]


@pytest.mark.parametrize(
    ("language", "tied", "by"), [("en", "tied 2 – 2", "tie-break"), ("zh", "戰成 2 – 2 平手", "籤序")]
)
def test_a_final_decided_by_a_tie_break_says_by_which(
    cup: Progress, papers: dict[str, Report], tmp_path: Path, language: str, tied: str, by: str
) -> None:
    """In the paper, on the page and in the terminal alike."""
    view = tournament_view(cup)
    assert view.decided is not None and view.decided in view.ties
    sentence = render(view.decided, language)
    assert tied in sentence and by in sentence and view.standings[0].entry in sentence
    make_pdf(papers["cup"], tmp_path / "report.pdf", language)
    assert sentence.replace(" ", "") in words_of(tmp_path / "report.pdf")
    write_all(cup, tmp_path / "page", language)
    assert sentence in (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert sentence in draw_bracket(cup.schedule.bracket(), language)
