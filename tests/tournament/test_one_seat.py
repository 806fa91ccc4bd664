"""Programs that can play in one seat only: the games of their pairings, and the boards of these."""

from __future__ import annotations

from ludus.formats import Pairing
from ludus.tournament import Plan


def test_a_player_of_one_seat_plays_all_its_games_there() -> None:
    entries = {"a": "random:seed=1", "b": "greedy"}
    plan = Plan(name="x", game="magnetic-cave", entries=entries, pairs=2, games=3, only_seats={"random:seed=1": 1})
    for pairing, seats in ((Pairing("p", "a", "b"), 1), (Pairing("p", "b", "a"), 0)):
        tasks = [*plan.tasks(pairing)]
        assert [task.entries for task in tasks] == [("b", "a")] * 3 and {task.seats for task in tasks} == {seats}
        assert len({task.key for task in tasks}) == len({task.seed for task in tasks}) == 3
    both = plan.model_copy(update={"only_seats": {"random:seed=1": 1, "greedy": 1}})
    assert [task.seats for task in both.tasks(Pairing("p", "a", "b"))] == [0, 1, 0]


def test_the_boards_of_a_course_are_taken_in_turn_in_one_seat_too() -> None:
    boards = ({"rows": 6, "cols": 3}, {"rows": 8, "cols": 4})
    plan = Plan(
        name="x",
        game="cantris",
        entries={"a": "random", "b": "greedy"},
        pairs=3,
        boards=boards,
        only_seats={"random": 0},
    )
    tasks = [*plan.tasks(Pairing("p", "a", "b"))]
    assert [task.options["rows"] for task in tasks] == [6, 6, 8, 8, 6, 6]
    assert {task.seats for task in tasks} == {0} and len({task.key for task in tasks}) == 6
