"""Why a move is best: each kind of sentence is said where it is true, and nothing is said that is not.

Every claim on small boards is checked again by trying everything, from its code and parameters alone.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import pytest
from random_games import open_positions

import ludus
from ludus.messages import LANGUAGES, Message, catalogue, render
from ludus.search.explain import MOST, explain
from ludus.search.result import Analysis

Claim = dict[str, Any]


@functools.cache
def worth(state: Any, objective: str) -> float:
    """What a position is worth to the side to move, by trying everything."""
    if state.outcome is not None:
        winner = state.outcome.winner
        counts = objective == "margin" and state.scores is not None
        return 0.0 if counts or winner is None else 1.0 if winner == state.side else -1.0
    return max(worth_of(state, move, objective) for move in state.legal_moves)


def worth_of(state: Any, move: str, objective: str = "margin") -> float:
    after = state.play(move)
    rest = worth(after, objective) * (1 if after.side == state.side else -1)
    return rest + (gain(state, move) if objective == "margin" and state.scores else 0)


def gain(state: Any, move: str) -> int:
    return int(state.play(move).scores[state.side] - state.scores[state.side])


def most_gain(state: Any) -> int:
    """Return the most points of a turn."""
    return max(
        gain(state, move) + (most_gain(after) if after.side == state.side and after.outcome is None else 0)
        for move, after in ((move, state.play(move)) for move in state.legal_moves)
    )


def winner_of(state: Any, move: str) -> int:
    """1 the mover, 0 nobody, -1 the opponent, by best play after a move."""
    value = worth_of(state, move, "win")
    return (value > 0) - (value < 0)


def wins(state: Any) -> set[str]:
    ends = {move: state.play(move).outcome for move in state.legal_moves}
    return {move for move, outcome in ends.items() if outcome and outcome.winner == state.side}


def others(state: Any, move: str) -> list[str]:
    return [other for other in state.legal_moves if other != move]


def wins_within(state: Any, side: int, plies: int) -> bool:
    """Return whether a side can force a win within some plies."""
    if state.outcome is not None:
        return bool(state.outcome.winner == side)
    every = any if state.side == side else all
    return plies > 0 and every(wins_within(state.play(move), side, plies - 1) for move in state.legal_moves)


def has_line(rows: list[str], mark: str, line: int) -> bool:
    """Look for a line cell by cell."""
    cells = {(row, col) for row, text in enumerate(rows) for col, cell in enumerate(text) if cell == mark}
    ways = ((0, 1), (1, 0), (1, 1), (1, -1))
    return any(
        all((row + step * down, col + step * right) in cells for step in range(line))
        for (row, col), (down, right) in itertools.product(cells, ways)
    )


def with_mark(state: Any, cell: str, mark: str) -> list[str]:
    rows: list[str] = state.text.partition(" ")[0].split("/")
    row, col = len(rows) - int(cell[1:]), ord(cell[0]) - ord("A")
    assert rows[row][col] == "."
    rows[row] = rows[row][:col] + mark + rows[row][col + 1 :]
    return rows


def can_ever_win(state: Any, side: int) -> bool:
    """Return whether any play at all ends with that side as the winner."""
    if state.outcome is not None:
        return bool(state.outcome.winner == side)
    return any(can_ever_win(state.play(move), side) for move in state.legal_moves)


def placed_at(state: Any, move: str) -> str:
    row, col = state.steps(move)[0].cells[0]
    return f"{chr(ord('A') + col)}{int(state.game.options['rows']) - row}"


def threatens(state: Any, move: str, claim: Claim) -> bool:
    after = state.play(move)
    left = {reply: wins(after.play(reply)) for reply in after.legal_moves}
    stopping = {reply for reply, found in left.items() if claim["win"] not in found}
    return stopping == set(claim["replies"]) and not any(left[reply] for reply in stopping)


def takes_less(state: Any, move: str, claim: Claim) -> bool:
    greedy = state.play(claim["greedy"])
    figures = (claim["n"], claim["points"], claim["allowed"], claim["left"])
    seen = (gain(state, move), gain(state, claim["greedy"]), gain(greedy, claim["reply"]), most_gain(state.play(move)))
    return figures == seen and claim["points"] > claim["n"] and claim["allowed"] > claim["left"]


def denies(state: Any, move: str, claim: Claim) -> bool:
    then = state.play(claim["other"])
    seen = (gain(then, claim["reply"]), most_gain(state.play(move)))
    return (claim["allowed"], claim["left"]) == seen and claim["allowed"] > claim["left"]


def fills(state: Any, move: str, _claim: Claim) -> bool:
    """Return whether the opponent's mark in place of the mover's makes a line."""
    rows = with_mark(state, placed_at(state, move), "xo"[1 - state.side])
    return has_line(rows, "xo"[1 - state.side], state.game.options["line"])


def makes(state: Any, move: str, claim: Claim) -> bool:
    mark, line, after = "xo"[state.side], state.game.options["line"], state.play(move)
    return claim["n"] == len(claim["cells"]) and all(
        has_line(with_mark(after, cell, mark), mark, line) for cell in claim["cells"]
    )


def orbs(state: Any, side: int) -> int:
    """Return the cells that a side owns."""
    return int(state.text.split()[0].count("rb"[side]))


def taken(state: Any) -> int:
    """Return the most cells that one move takes."""
    other = 1 - state.side
    return max(orbs(state, other) - orbs(state.play(move), other) for move in state.legal_moves)


def columns(state: Any) -> list[int]:
    return [sum(cell != "." for cell in column) for column in zip(*state.text.split()[0].split("/"), strict=True)]


def pops(state: Any, move: str, claim: Claim) -> bool:
    """Return whether tiles popped, by what the board lost beyond the one tile that was taken."""
    row, col = map(int, move.split(","))
    tile = int(state.text.split()[0].split("/")[row][col])
    popped = sum(columns(state)) - sum(columns(state.play(move))) - 1
    return (claim["n"], claim["points"]) == (popped, gain(state, move) - tile)


Check = Callable[[Any, str, Claim], bool]
CHECKS: dict[str, Check] = {
    "search.why.only_legal": lambda s, m, _: s.legal_moves == (m,),
    "search.why.wins_now": lambda s, m, _: m in wins(s),
    "search.why.draws_now": lambda s, m, _: s.play(m).outcome.winner is None,
    "search.why.loses_now": lambda s, m, _: s.play(m).outcome.winner == 1 - s.side and worth(s, "win") < 0,
    "search.why.ends": lambda s, m, c: (
        s.play(m).outcome is not None and (c["own"], c["other"]) == s.play(m).scores[:: -1 if s.side else 1]
    ),
    "search.why.wins_next": lambda s, m, _: all(wins(s.play(m).play(reply)) for reply in s.play(m).legal_moves),
    "search.why.threatens": threatens,
    "search.why.only_stops": lambda s, m, c: (
        c["reply"] != m and not wins(s.play(m)) and all(c["reply"] in wins(s.play(o)) for o in others(s, m))
    ),
    "search.why.only_stops_there": lambda s, m, _: (
        not wins(s.play(m)) and all(m in wins(s.play(o)) for o in others(s, m))
    ),
    "search.why.only_safe": lambda s, m, c: (
        c["reply"] in wins(s.play(c["other"])) and not wins(s.play(m)) and all(wins(s.play(o)) for o in others(s, m))
    ),
    "search.why.stops": lambda s, m, c: (
        not wins(s.play(m)) and 2 * sum(c["reply"] in wins(s.play(o)) for o in others(s, m)) > len(others(s, m))
    ),
    "search.why.stops_there": lambda s, m, _: (
        not wins(s.play(m)) and 2 * sum(m in wins(s.play(o)) for o in others(s, m)) > len(others(s, m))
    ),
    "search.why.only_wins": lambda s, m, _: winner_of(s, m) == 1 and all(winner_of(s, o) < 1 for o in others(s, m)),
    "search.why.only_draws": lambda s, m, _: winner_of(s, m) == 0 and all(winner_of(s, o) < 0 for o in others(s, m)),
    "search.why.others_lose": lambda s, m, _: all(winner_of(s, o) < 0 for o in others(s, m)),
    "search.why.forces": lambda s, m, c: wins_within(s.play(m), s.side, c["n"] - 1),
    "search.why.wins": lambda s, m, _: winner_of(s, m) == 1,
    "search.why.all_lose": lambda s, _m, _: worth(s, "win") < 0,
    "search.why.draws": lambda s, m, _: winner_of(s, m) == 0 == worth(s, "win"),
    "search.why.takes_most": lambda s, m, c: gain(s, m) == c["n"] and all(gain(s, o) < c["n"] for o in others(s, m)),
    "search.why.takes_as_many": lambda s, m, c: gain(s, m) == c["n"] == max(gain(s, o) for o in s.legal_moves),
    "search.why.takes_less": takes_less,
    "search.why.denies": denies,
    "search.why.worth_less": lambda s, m, c: (
        worth_of(s, m) - c["n"] == worth_of(s, c["other"]) == max(worth_of(s, o) for o in others(s, m))
    ),
    "search.why.by_end": lambda s, _m, c: worth(s, "margin") == c["n"],
    "search.why.by_end_behind": lambda s, _m, c: worth(s, "margin") == -c["n"],
    "rules.why.no_line_left": lambda s, m, _: not can_ever_win(s.play(m), 1 - s.side),
    "rules.why.takes_place": fills,
    "rules.why.makes_place": makes,
    "magnetic_cave.why.pairs": lambda s, m, _: worth_of(s, m, "win") >= 0,
    "chain_reaction.why.chain": lambda s, m, c: c["n"] == orbs(s, 1 - s.side) - orbs(s.play(m), 1 - s.side) > 0,
    "chain_reaction.why.only_quiet": lambda s, m, _: (
        taken(s.play(m)) <= 0 and all(s.play(o).outcome or taken(s.play(o)) > 0 for o in others(s, m))
    ),
    "cantris.why.run": pops,
    "cantris.why.last_tile": lambda s, m, c: columns(s.play(m))[c["column"]] == 1 != columns(s)[c["column"]],
}
"""How each claim about the game is checked again."""
ESTIMATES = {
    f"search.why.{name}"
    for name in (
        "worth_about_less",
        "chance_less",
        "chance_less_line",
        "by_end_about",
        "by_end_about_behind",
        "expects",
    )
}
"""What is only said of the search: its numbers and its line."""


def said_of(state: Any, **limits: Any) -> tuple[Analysis, list[Message]]:
    found = ludus.analyse(state, **limits)
    return found, explain(state, found)


def codes(state: Any, **limits: Any) -> list[str]:
    return [message.code.removeprefix("search.why.") for message in said_of(state, **limits)[1]]


def check(state: Any, found: Analysis, said: list[Message]) -> None:
    """Check every claim of an explanation again."""
    assert len(said) <= MOST
    assert len(set(said)) == len(said)
    for message in said:
        ended = state.play(found.move).outcome is not None
        if message.code not in ESTIMATES and not (ended and message == state.game.why(state.play(found.move))):
            claim = {name: list(value) if isinstance(value, tuple) else value for name, value in message.params.items()}
            assert CHECKS[message.code](state, found.move, claim), f"{message!r} of {state.text}, {found}"


@pytest.mark.parametrize("name", ludus.games())
def test_nothing_is_said_that_trying_everything_does_not_confirm(name: str) -> None:
    for number, state in enumerate(open_positions(name, 60)):
        for nodes in (30, 3000):
            check(state, *said_of(state, nodes=nodes, lines=1 + number % 3))


def test_every_claim_has_a_check_and_words() -> None:
    areas = ("search", "rules", *(name.replace("-", "_") for name in ludus.games()))
    about_moves = [code for code in catalogue("en") if code.startswith(tuple(f"{area}.why." for area in areas))]
    known = {code.removesuffix(".one") for code in about_moves}
    assert known == {*CHECKS, *ESTIMATES}


class Tree(NamedTuple):
    """A position that is its tree: moves, and at the ends the winner."""

    game: Any
    moves: Any
    side: int = 0
    scores: None = None

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(self.moves) if isinstance(self.moves, dict) else ()

    @property
    def outcome(self) -> ludus.Outcome | None:
        return None if isinstance(self.moves, dict) else ludus.Outcome(self.moves)

    @property
    def text(self) -> str:
        return repr(self.moves)

    def play(self, move: str) -> Tree:
        return self._replace(moves=self.moves[move], side=1 - self.side)

    def __hash__(self) -> int:
        return hash((self.text, self.side))


class TreeGame:
    """A game as another package brings it."""

    name = "tree"
    options: ClassVar[dict[str, int | str]] = {}

    def initial(self, seed: int = 0) -> Tree:
        return Tree(self, {"a": 0}, seed % 2)

    def parse(self, text: str) -> Tree:
        return Tree(self, text)

    def draw(self, state: Tree) -> str:
        return state.text


TREES = {
    "only_legal": {"a": {"b": 0}},
    "wins_now": {"a": 0, "b": 1},
    "draws_now": {"a": 1, "b": None},
    "loses_now": {"a": 1, "b": 1},
    "wins_next": {"a": {"c": {"d": 0}, "e": {"d": 1, "f": 0}}, "b": {"c": 1}},
    "only_safe": {"a": {"c": {"d": None}}, "b": {"e": 1}, "g": {"f": 1}},
    "only_draws": {"a": {"c": {"d": None}}, "b": {"e": {"f": 1}}},
}


@pytest.mark.parametrize("code", TREES)
def test_games_of_other_packages_are_explained_by_their_rules_alone(code: str) -> None:
    state = Tree(TreeGame(), TREES[code])
    assert code in codes(state, depth=4, lines=2)
    check(state, *said_of(state, depth=4, lines=2))


EXAMPLES = [
    ("all_lose", "chain-reaction", {"rows": 2, "cols": 2}, "../.. 1 0"),
    ("threatens", "chain-reaction", {"rows": 2, "cols": 2}, "../.. 1 0"),
    ("wins_next", "chain-reaction", {"rows": 2, "cols": 2}, "../.r1 2 1"),
    ("only_wins", "chain-reaction", {"rows": 2, "cols": 2}, "../.r1 2 1"),
    ("wins_now", "chain-reaction", {"rows": 2, "cols": 2}, "r1./b1. 1 2"),
    ("forces", "chain-reaction", {"rows": 2, "cols": 3}, ".../... 1 0"),
    ("only_safe", "chain-reaction", {"rows": 2, "cols": 3}, "r1b1r1/... 2 3"),
    ("only_stops", "chain-reaction", {"rows": 2, "cols": 3}, ".b2./.r1b1 1 4"),
    ("stops", "chain-reaction", {"rows": 2, "cols": 3}, ".b1./.r2. 2 3"),
    ("chain_reaction.why.chain", "chain-reaction", {"rows": 2, "cols": 3}, ".r2r1/r1.b1 2 5"),
    ("chain_reaction.why.only_quiet", "chain-reaction", {"rows": 2, "cols": 3}, ".b1./r1.r1 2 3"),
    ("only_stops_there", "connect-four", {"rows": 3, "cols": 4, "line": 3}, "..../...x/xo.o 1"),
    ("stops_there", "connect-four", {"rows": 5, "cols": 5}, "....x/....x/.ooxo/xxoxx/oooxo 1"),
    ("only_draws", "connect-four", {"rows": 3, "cols": 4, "line": 3}, "..xx/..oo/ooxx 1"),
    ("draws", "connect-four", {"rows": 4, "cols": 4}, "..../..../...x/xo.o 1"),
    ("wins", "connect-four", {"rows": 3, "cols": 4, "line": 3}, "..../..../.... 1"),
    ("rules.why.makes_place", "connect-four", {"rows": 3, "cols": 4, "line": 3}, "..../..x./xxoo 2"),
    ("rules.why.takes_place", "connect-four", {"rows": 3, "cols": 4, "line": 3}, "..../o.o./xxox 1"),
    ("rules.why.no_line_left", "connect-four", {"rows": 4, "cols": 4}, ".o../xx../xooo/oxxx 2"),
    ("others_lose", "magnetic-cave", {"line": 4}, "xo..o/x..xx/o..xx/o..oo/ox..x 2"),
    ("magnetic_cave.why.pairs", "magnetic-cave", {"line": 4}, "oxxoo/xo.xo/x..ox/xo.xo/o...x 1"),
    ("takes_most", "fruit-rage", {}, "1*0/100/000 2 1-0"),
    ("takes_as_many", "fruit-rage", {}, "000/110/011 1 0-0"),
    ("takes_less", "fruit-rage", {}, "10*/010/011 2 1-0"),
    ("denies", "fruit-rage", {}, "001/110/001 1 0-0"),
    ("worth_less", "fruit-rage", {}, "101/010/100 1 0-0"),
    ("by_end", "fruit-rage", {}, "011/001/010 1 0-0"),
    ("by_end_behind", "fruit-rage", {}, "111/000/110 1 0-0"),
    ("ends", "cantris", {}, "221/112/221/112 1 0-0 0"),
    ("cantris.why.run", "cantris", {}, ".12/221/211/122 2 1-0 0"),
    ("cantris.why.last_tile", "cantris", {}, ".../.1./122/121 2 5-3 0"),
]


@pytest.mark.parametrize(("code", "name", "options", "position"), EXAMPLES, ids=[code for code, *_ in EXAMPLES])
def test_each_kind_of_sentence_is_said_where_it_is_true(
    code: str, name: str, options: dict[str, int | str], position: str
) -> None:
    state = ludus.game(name, **options).parse(position)
    found, said = said_of(state, nodes=30 if code == "others_lose" else 3000, lines=2)  # the best one is not yet proven
    assert code in [message.code.removeprefix("search.why.") for message in said]
    check(state, found, said)
    for message, language in itertools.product(said, LANGUAGES):
        words = render(message, language)
        assert "{" not in words
        assert words[-1] in ".。"


def test_every_claim_has_an_example() -> None:
    shown = {code for code, *_ in EXAMPLES} | set(TREES)
    assert {code.removeprefix("search.why.") for code in CHECKS} == shown


@pytest.mark.parametrize("name", ["chain-reaction", "connect-four", "fruit-rage", "magnetic-cave", "cantris"])
def test_what_is_only_estimated_is_said_of_the_search(name: str) -> None:
    """On the usual board little is proven: numbers are the search's own, and its words say so."""
    for seed in range(3):
        state = ludus.game(name).initial(seed)
        found, said = said_of(state, nodes=2000, lines=2)
        best, second = found.lines
        for message in said:
            short, params = message.code.removeprefix("search.why."), message.params
            if short.startswith("chance_less"):
                assert params["percent"] == round(100 * (best.win_chance - second.win_chance)) >= 2
            elif short == "worth_about_less":
                assert params["n"] == round(best.value - second.value) > 0
            elif short.startswith("by_end_about"):
                assert params["n"] == abs(round(best.value))
            elif short == "expects":
                assert params["line"].split() == list(best.moves[:4])
            if message.code in ESTIMATES:
                assert "search" in str(message)


def test_an_analysis_without_a_second_line_is_explained_too() -> None:
    state = ludus.game("fruit-rage").parse("101/010/100 1 0-0")
    found = ludus.analyse(state)
    assert len(found.lines) == 1
    assert [str(message) for message in explain(state, found)][-1].startswith("The next best move, A2, is worth 2")


def test_moves_that_lead_to_the_same_position_are_no_lesser_ones() -> None:
    """2,1 and 3,1 leave the same board, and a search lists only one: neither is the only move that wins."""
    state = ludus.game("cantris", removals=2).parse(".2./121/212/212 2 2-0 0")
    assert state.play("2,1") == state.play("3,1")
    assert "only_wins" not in codes(state, nodes=3000, lines=3)


def test_a_search_for_the_winner_says_nothing_of_points_to_come() -> None:
    state = ludus.game("fruit-rage").parse("111/000/110 1 0-0")
    found = ludus.analyse(state, objective="win", lines=2)
    said = {message.code.removeprefix("search.why.") for message in explain(state, found, "win")}
    assert not said & {"worth_less", "by_end", "by_end_behind"}
