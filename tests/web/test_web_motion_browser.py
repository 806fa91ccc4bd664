"""Boards in motion in a real browser: what stands beside a board, and on it, agrees with what the board shows."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Page, expect
from variants import variants
from web import Visitors, cell, page_until, shown

import ludus
from ludus.game import State
from ludus.web.views import position_view, steps_of

BEGIN = (
    "body => fetch('/api/matches', {method: 'POST', headers: {'Content-Type': 'application/json'},"
    " body: JSON.stringify(body)}).then(answer => answer.json()).then(match => match.id)"
)
WATCH = """() => {
  window.panels = [];
  const text = (name) => [...document.querySelectorAll(name)].map((one) => one.textContent);
  const look = () => {
    const rows = [...document.querySelectorAll('.moves button')];
    const panel = {
      status: text('.status')[0], over: Boolean(document.querySelector('.status.over, .player.won')),
      at: rows.findIndex((one) => one.classList.contains('current')) + 1, listed: rows.length,
      scores: text('.player .score'), turn: document.querySelector('.player.turn')?.className,
    };
    if (JSON.stringify(panel) === window.before) return;
    window.before = JSON.stringify(panel);
    const board = [...document.querySelectorAll('.grid button')].map((one) => one.getAttribute('aria-label'));
    window.panels.push({ ...panel, board: board.map((label) => label.replace(/, can be played$/, '')).join('|') });
  };
  look();
  new MutationObserver(look).observe(document.querySelector('main'),
    { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['class'] });
}"""
MOVING = (
    "document.getAnimations().filter(one => !(one instanceof CSSTransition || one instanceof CSSAnimation)"
    " && one.effect.target.closest('.board') && !one.effect.target.closest('.gain'))"
)


HOLD = f"""() => {{
  window.held = false;
  new MutationObserver(() => {{
    if (window.held || !document.querySelector('.effects .wave')) return;
    window.held = true;
    {MOVING}.forEach((one) => one.pause());
  }}).observe(document.querySelector('.effects'), {{ childList: true }});
}}"""
"""Holds the first explosion as it begins, until it is skipped."""


def last_moves(name: str, steps: int) -> tuple[State, list[str]]:
    """Return a position and the three moves that end its game; the last one wins, in at least so many steps."""
    game = ludus.game(name, **variants(name)["larger"][0])
    for seed in range(2000):
        chance = random.Random(seed)
        states, moves = [game.initial(seed)], list[str]()
        while states[-1].outcome is None:
            moves.append(chance.choice(states[-1].legal_moves))
            states.append(states[-1].play(moves[-1]))
        won = states[-1].outcome.winner is not None
        if len(moves) > 3 and won and len(steps_of(states[-2], moves[-1])) >= steps:
            return states[-4], moves[-3:]
    raise AssertionError("no game ends so")


def begin(page: Page, state: State) -> str:
    """Begin a game of two people at one screen, and open it."""
    options = dict(state.game.options)
    identity: str = page.evaluate(
        BEGIN, {"game": state.game.name, "options": options, "seats": ["human", "human"], "start": state.text}
    )
    page.goto(f"/match/{identity}")
    expect(page.locator(".status")).to_contain_text("to move")
    return identity


def click(page: Page, state: State, move: str) -> None:
    """Play a move on the board."""
    (cells,) = (legal.cells for legal in position_view(state).legal if legal.move == move)
    cell(page, *cells[0]).click()


def boards(page: Page, plies: int) -> list[str]:
    """Go through a game without motion; return what the board shows after each number of plies."""
    page.emulate_media(reduced_motion="reduce")
    seen = []
    for at in range(plies + 1):
        page.locator(".replay input").fill(str(at))
        expect(page.locator(".moves .current")).to_have_count(min(at, 1))
        seen.append(shown(page))
    return seen


@pytest.mark.parametrize("name", ludus.games())
def test_the_panel_never_runs_ahead_of_the_board(visit: Visitors, name: str) -> None:
    """Whoever plays, watches or replays sees turn, scores, moves and result change together with the board."""
    state, moves = last_moves(name, variants(name)["last_moves"])
    page = visit()
    identity = begin(page, state)
    watcher = visit(f"/match/{identity}")
    expect(watcher.locator(".status")).to_contain_text("to move")
    for each in (page, watcher):
        each.evaluate(WATCH)
    for number, move in enumerate(moves, 1):
        click(page, state, move)
        for each in (page, watcher):
            expect(each.locator(".moves button")).to_have_count(number)
        state = state.play(move)
    for each in (page, watcher):
        expect(each.locator(".status")).to_contain_text("wins")
    page.locator(".steps button").first.click()
    expect(page.locator(".moves .current")).to_have_count(0)
    for number in range(1, 4):
        page.locator(".steps button").nth(2).click()
        expect(page.locator(".moves button").nth(number - 1)).to_have_class(re.compile("current"))
    expect(page.locator(".status")).to_contain_text("wins")
    expected = boards(visit(f"/match/{identity}"), 3)
    for each in (page, watcher):
        panels = each.evaluate("() => window.panels")
        assert len(panels) > 3
        for panel in panels:
            assert panel["board"] == expected[panel["at"]]
            assert panel["over"] == (panel["at"] == 3) == ("wins" in panel["status"])


def test_motion_that_is_skipped_takes_the_panel_with_it(visit: Visitors) -> None:
    """A click on the board in the middle of a chain ends the motion, and the panel tells the result."""
    state, moves = last_moves("chain-reaction", 4)
    page = visit()
    begin(page, state)
    for number, move in enumerate(moves[:-1], 1):
        click(page, state, move)
        expect(page.locator(".moves button")).to_have_count(number)
        state = state.play(move)
    before = page.locator(".panel").inner_text()
    page.evaluate(HOLD)
    click(page, state, moves[-1])
    page_until(page, lambda: page.evaluate("() => window.held"))
    assert page.locator(".panel").inner_text() == before
    assert page.locator(".player.won").count() == 0
    cell(page, 0, 0).click(force=True)
    expect(page.locator(".status")).to_contain_text("wins")
    assert page.evaluate(f"{MOVING}.length") == 0


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_chain_sounds_as_it_is_shown(visit: Visitors, motion: str) -> None:
    """One tone for each step that is seen; a result that is shown at once has one, not all of them together."""
    state, moves = last_moves("chain-reaction", 4)
    page = visit(reduced_motion=motion)
    page.evaluate("localStorage.setItem('sound', 'on')")
    page.add_init_script(
        "window.tones = 0; window.OscillatorNode = class extends OscillatorNode {"
        " constructor(...all) { super(...all); window.tones += 1; } };"
    )
    begin(page, state)
    for number, move in enumerate(moves, 1):
        before = page.evaluate("window.tones")
        click(page, state, move)
        expect(page.locator(".moves button")).to_have_count(number)
        steps = len(steps_of(state, move))
        assert page.evaluate("window.tones") - before == (1 if motion == "reduce" else steps)
        state = state.play(move)


def test_an_analysis_waits_for_its_board_too(visit: Visitors) -> None:
    """Value, scores and the current move of a review are those of the board that is shown."""
    state, moves = last_moves("chain-reaction", 4)
    played = visit()
    identity = begin(played, state)
    for number, move in enumerate(moves, 1):
        click(played, state, move)
        expect(played.locator(".moves button")).to_have_count(number)
        state = state.play(move)
    page = visit(f"/analysis/{identity}?ply=2")
    current = page.locator(".review .current, .moves .current").first
    expect(current).to_contain_text(moves[1])
    page.evaluate(HOLD)
    page.keyboard.press("ArrowRight")
    page_until(page, lambda: page.evaluate("() => window.held"))
    expect(current).to_contain_text(moves[1])
    assert "wins." not in page.locator(".headline").inner_text()
    page.evaluate(f"{MOVING}.forEach(one => one.play())")
    expect(current).to_contain_text(moves[2])
    expect(page.locator(".headline")).to_contain_text("wins.")


def test_a_game_that_ends_while_one_looks_back_says_so(visit: Visitors) -> None:
    page = visit()
    state, moves = last_moves("magnetic-cave", 2)
    identity = begin(page, state)
    click(page, state, moves[0])
    expect(page.locator(".moves button")).to_have_count(1)
    page.locator(".steps button").first.click()
    expect(page.locator(".moves .current")).to_have_count(0)
    page.evaluate(
        "id => fetch(`/api/matches/${id}/resign`, {method: 'POST', body: '{}',"
        " headers: {'Content-Type': 'application/json', 'X-Ludus': '1'}})",
        identity,
    )
    expect(page.locator("#toast")).to_contain_text("resigned")
    assert page.locator(".status").inner_text().endswith("to move")
    page.keyboard.press("End")
    expect(page.locator(".status")).to_contain_text("resigned")


TWO_LINES = "A5 F5 A6 F2 F3 B5 F1 F6 E1 A1 F4 E6 E5 A4 B6 E4 E2 C5 D2 D1 E3"
"""A game on 6x6 with lines of three whose last brick completes a column and a diagonal."""


def test_the_winning_lines_stay_as_long_as_the_final_position_is_shown(visit: Visitors) -> None:
    """Every completed line is drawn; after the motion, a reload, steps to and fro, in another viewer, in analysis."""
    state = ludus.game("magnetic-cave", rows=6, cols=6, line=3).initial(1)
    *moves, last = TWO_LINES.split()
    for move in moves:
        state = state.play(move)
    page = visit()
    identity = begin(page, state)
    lines = page.locator(".traces .winning")
    expect(lines).to_have_count(0)
    click(page, state, last)
    expect(page.locator(".status")).to_contain_text("wins")
    expect(lines).to_have_count(2)
    page.evaluate(
        "Promise.all(document.getAnimations().filter(one => one.effect.getTiming().iterations < 9)"
        ".map(one => one.finished))"
    )
    expect(lines).to_have_count(2)
    page.locator(".steps button").nth(1).click()
    expect(lines).to_have_count(0)
    page.locator(".steps button").nth(2).click()
    expect(lines).to_have_count(2)
    page.reload()
    expect(lines).to_have_count(2)
    for path in (f"/match/{identity}", f"/analysis/{identity}"):
        other = visit(path)
        other.locator(".board").first.wait_for()
        other.keyboard.press("End")
        expect(other.locator(".traces .winning")).to_have_count(2)
        other.keyboard.press("Home")
        expect(other.locator(".traces .winning")).to_have_count(0)


@pytest.mark.parametrize("name", ["fruit-rage", "cantris"])
def test_no_outline_stays_where_the_pieces_have_gone(visit: Visitors, name: str) -> None:
    """While a group bursts it has an outline; afterwards other pieces lie there, and they were not played."""
    state = ludus.game(name, **variants(name)["larger"][0]).initial(3)
    page = visit()
    begin(page, state)
    move = next(legal for legal in position_view(state).legal if legal.cells[0][0] > 2)
    page.evaluate(
        "() => { window.most = 0; new MutationObserver(() => { window.most ="
        " Math.max(window.most, document.querySelectorAll('.cell.last').length); })"
        ".observe(document.querySelector('.board'), {subtree: true, attributes: true, attributeFilter: ['class']}); }"
    )
    cell(page, *move.cells[0]).click()
    expect(page.locator(".moves button")).to_have_count(1)
    assert page.evaluate("() => window.most") == len(move.cells)
    expect(page.locator(".cell.last")).to_have_count(0)
    page.reload()
    expect(page.locator(".moves button")).to_have_count(1)
    expect(page.locator(".cell.last, .cell.lit")).to_have_count(0)
