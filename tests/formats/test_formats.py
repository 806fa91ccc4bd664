"""Formats: each promise of a format, over fields of any size, results in any order, and people who leave."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludus import formats
from ludus.formats import Elimination, Pairing, Result, Schedule, maximum_matching
from ludus.formats.double_elimination import DoubleElimination, drops
from ludus.formats.ladder import Ladder, RankList
from ludus.formats.round_robin import circle
from ludus.formats.swiss import Swiss

Play = Callable[[Pairing], Result]
QUICK = settings(max_examples=25, deadline=None)
every_format = pytest.mark.parametrize("name", formats.formats())
fields = st.integers(2, 40)
seeds = st.integers(0, 2**32)


def field(size: int) -> list[str]:
    return [f"p{index}" for index in range(size)]


def by_strength(rank: dict[str, int]) -> Play:
    def play(pairing: Pairing) -> Result:
        return pairing.result(wins=2) if rank[pairing.first] < rank[pairing.second] else pairing.result(losses=2)

    return play


def by_chance(rng: random.Random) -> Play:
    """Ties, margins and forfeits as they come, but the same for a pairing however often it is asked."""
    salt = rng.random()

    def play(pairing: Pairing) -> Result:
        dice = random.Random(f"{salt}{pairing}")
        wins, draws = dice.choice([(2, 0), (1, 0), (1, 1), (0, 2), (0, 0), (0, 1)])
        return pairing.result(wins, draws, 2 - wins - draws, dice.randrange(-2, 3), seconds=(dice.random(), 0.5))

    return play


def finish(schedule: Schedule, play: Play, rng: random.Random | None = None, leavers: float = 0.0) -> list[Pairing]:
    """Play to the end in a random order, with people leaving now and then; give what was played."""
    played = []
    while not schedule.finished:
        pairings = list(schedule.playable.values())
        pairing = pairings[0] if rng is None else rng.choice(pairings)
        if rng is not None and rng.random() < leavers:
            schedule.withdraw(rng.choice(schedule.entries))
        elif pairing.key in schedule.playable:
            opened = schedule.add(play(pairing))
            assert all(schedule.playable[new.key] == new for new in opened)
            played.append(pairing)
    assert not schedule.early
    return played


def snapshot(schedule: Schedule) -> tuple[object, ...]:
    rows = [(row.rank, row.entry, row.decided_by, row.values) for row in schedule.standings().rows]
    return dict(schedule.playable), dict(schedule.results), rows, schedule.bracket(), schedule.byes, schedule.withdrawn


def test_every_format_is_found() -> None:
    expected = ("double-elimination", "gauntlet", "king-of-the-hill", "knockout", "ladder", "round-robin", "swiss")
    assert formats.formats() == expected
    with pytest.raises(ValueError, match="there is no format 'league'; the formats are double-elimination, gauntlet"):
        formats.find("league")


def test_formats_of_other_packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Single(Schedule):
        name = "single"

        def start(self) -> list[Pairing]:
            return [Pairing("only", self.order[0], self.order[1])]

    entry = SimpleNamespace(name="single", load=lambda: Single)
    monkeypatch.setattr(formats, "entry_points", lambda group: [entry] if group == "ludus.formats" else [])
    formats.classes.cache_clear()
    try:
        assert "single" in formats.formats()
        assert list(formats.schedule("single", field(3)).playable) == ["only"]
    finally:
        formats.classes.cache_clear()


@every_format
@QUICK
@given(size=fields, seed=seeds)
def test_everybody_plays_and_nobody_is_lost(name: str, size: int, seed: int) -> None:
    schedule = formats.schedule(name, field(size), seed=seed)
    rng = random.Random(seed)
    played = finish(schedule, by_chance(rng), rng)
    assert {entry for pairing in played for entry in pairing[1:3]} == set(schedule.entries)
    assert len({pairing.key for pairing in played}) == len(played)
    rows = schedule.standings().rows
    assert sorted(row.entry for row in rows) == sorted(schedule.entries)
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)


@every_format
@QUICK
@given(size=fields, seed=seeds)
def test_the_strongest_wins_when_the_stronger_always_does(name: str, size: int, seed: int) -> None:
    entries = field(size)
    rng = random.Random(seed)
    rank = {entry: index for index, entry in enumerate(rng.sample(entries, size))}
    schedule = formats.schedule(name, entries, seed=seed)
    finish(schedule, by_strength(rank), rng)
    leaders = schedule.standings().leaders
    assert min(entries, key=rank.__getitem__) in leaders
    assert len(leaders) == 1 or name == "gauntlet"


@every_format
@QUICK
@given(size=st.integers(2, 20), seed=seeds)
def test_the_order_of_results_makes_no_difference(name: str, size: int, seed: int) -> None:
    ends = []
    for order in (None, random.Random(seed), random.Random(seed + 1)):
        schedule = formats.schedule(name, field(size), seed=seed)
        finish(schedule, by_chance(random.Random(seed)), order)
        ends.append(snapshot(schedule))
    assert ends[0] == ends[1] == ends[2]
    rebuilt = formats.schedule(name, field(size), seed=seed)
    results = list(ends[0][1].values())  # type: ignore[attr-defined]
    random.Random(seed).shuffle(results)
    for result in results:  # most of them before their pairing is drawn
        rebuilt.add(result)
    assert snapshot(rebuilt) == ends[0]


@every_format
@QUICK
@given(size=st.integers(2, 16), seed=seeds, stop=st.integers(0, 60))
def test_a_schedule_built_again_stands_where_the_first_stood(name: str, size: int, seed: int, stop: int) -> None:
    schedule = formats.schedule(name, field(size), seed=seed)
    rng = random.Random(seed)
    play = by_chance(rng)
    for _ in range(stop):
        if schedule.finished:
            break
        if rng.random() < 0.1:
            schedule.withdraw(rng.choice(schedule.entries))
        else:
            schedule.add(play(rng.choice(list(schedule.playable.values()))))
    played = [result for result in schedule.results.values() if not result.walkover]
    rng.shuffle(played)
    again = formats.schedule(name, field(size), seed=seed, results=played, withdrawn=schedule.withdrawn)
    assert snapshot(again) == snapshot(schedule)


@every_format
@QUICK
@given(size=st.integers(2, 24), seed=seeds, leavers=st.sampled_from([0.05, 0.5, 1.0]))
def test_withdrawals_never_stop_a_tournament(name: str, size: int, seed: int, leavers: float) -> None:
    rng = random.Random(seed)
    schedule = formats.schedule(name, field(size), seed=seed)
    played = finish(schedule, by_chance(rng), rng, leavers)
    keys = {pairing.key for pairing in played}
    for result in schedule.results.values():
        if result.walkover:
            loser = result.pairing.second if result.wins else result.pairing.first
            assert loser in schedule.withdrawn
        assert result.walkover == (result.key not in keys)
    stayed = [row for row in schedule.standings().rows if not row.withdrawn]
    if len(stayed) == 1 and isinstance(schedule, Elimination):
        assert schedule.standings().rows[0].entry == stayed[0].entry


@every_format
def test_the_same_seed_gives_the_same_draw(name: str) -> None:
    draws = [formats.schedule(name, field(30), seed=seed, order="drawn").playable for seed in (1, 1, 2)]
    assert dict(draws[0]) == dict(draws[1]) != dict(draws[2])
    assert formats.schedule(name, field(30), seed=1, order="given").order == tuple(field(30))


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("swiss", {"rounds": 0}, "option rounds must be a whole number from 1 to 499, not 0"),
        ("swiss", {"groups": 2}, "format swiss has no option 'groups'; its options are order, rounds"),
        ("knockout", {"third_place": "maybe"}, "option third_place must be one of no, yes, not 'maybe'"),
        ("double-elimination", {"groups": 3}, "5 entries are too few for 3 groups of at least two"),
        ("gauntlet", {"heroes": 5}, "a gauntlet of 5 heroes needs at least 6 entries, not 5"),
    ],
)
def test_bad_options_are_named(name: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        formats.schedule(name, field(5), **options)


def test_bad_entries_and_results_are_named() -> None:
    for entries, sentence in (
        (["a"], "the format swiss takes 2 to 500 entries, not 1"),
        (field(501), "the format swiss takes 2 to 500 entries, not 501"),
        (["a", "b", "a"], "entry 'a' is listed twice"),
    ):
        with pytest.raises(ValueError, match=sentence):
            formats.schedule("swiss", entries)
    schedule = formats.schedule("knockout", field(4), order="given")
    pairing = schedule.playable["R1.1"]
    assert pairing[1:3] == ("p0", "p3")
    with pytest.raises(ValueError, match="must contain at least one game"):
        schedule.add(pairing.result())
    with pytest.raises(ValueError, match=r"R1.1 is p0 against p3 in this draw, but the result is for p0 against p1"):
        schedule.add(Pairing("R1.1", "p0", "p1").result(wins=1))
    with pytest.raises(ValueError, match="there is no entry 'nobody'"):
        schedule.withdraw("nobody")
    final = Pairing("R2.1", "p0", "p1", 2)
    schedule.add(final.result(wins=1))
    assert list(schedule.early) == ["R2.1"]
    with pytest.raises(ValueError, match=r"R2.1 is already decided"):
        schedule.add(final.result(losses=1))
    with pytest.raises(ValueError, match=r"R2.1 is already decided"):
        formats.schedule("knockout", field(4), results=[final.result(wins=1), final.result(losses=1)])
    schedule = formats.schedule("knockout", field(4), order="given")
    schedule.add(pairing.result(wins=1))
    assert schedule.add(pairing.result(wins=1)) == ()
    with pytest.raises(ValueError, match=r"R1.1 is already decided; to undo it"):
        schedule.add(pairing.result(losses=1))
    schedule.withdraw("p1")
    with pytest.raises(ValueError, match=r"R1.2 is already decided: one of the two withdrew before"):
        schedule.add(Pairing("R1.2", "p1", "p2").result(wins=1))


# Round robin and gauntlet


@given(size=fields)
def test_the_circle_has_each_pair_once_and_each_entry_once_a_round(size: int) -> None:
    rounds = list(circle(field(size)))
    assert len(rounds) == size - 1 + size % 2
    assert all(len({entry for pair in pairs for entry in pair}) == 2 * (size // 2) for pairs in rounds)
    assert sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs) == sorted(
        tuple(sorted(pair)) for pair in combinations(field(size), 2)
    )
    firsts = [sum(pair[0] == entry for pairs in rounds for pair in pairs) for entry in field(size)]
    assert max(firsts) - min(firsts) <= 1


def test_win_rate_counts_draws_as_nothing_and_score_as_half() -> None:
    for rank_by, leader in (("score", "p0"), ("wins", "p1")):
        schedule = formats.schedule("round-robin", field(3), order="given", rank_by=rank_by)
        wins = {("p0", "p1"): (1, 2, 1), ("p1", "p2"): (2, 0, 2), ("p0", "p2"): (1, 3, 0)}
        for pairing in list(schedule.playable.values()):
            pair = pairing[1:3]
            won, drawn, lost = wins[pair] if pair in wins else wins[pair[::-1]][::-1]
            schedule.add(pairing.result(won, drawn, lost))
        totals = schedule.table.totals
        assert (totals["p0"].score, totals["p0"].win_rate) == (9 / 16, 2 / 8)
        assert (totals["p1"].score, totals["p1"].win_rate) == (8 / 16, 3 / 8)
        assert schedule.standings().rows[0].entry == leader
        assert schedule.standings().rows[1].decided_by == ("score" if rank_by == "score" else "win rate")


def test_ties_are_broken_as_declared_and_the_table_says_by_what() -> None:
    schedule = formats.schedule("round-robin", field(4), order="given")
    winners = {"p0p1": "p0", "p0p2": "p2", "p0p3": "p0", "p1p2": "p1", "p1p3": "p1", "p2p3": "p3"}
    for pairing in list(schedule.playable.values()):
        winner = winners["".join(sorted(pairing[1:3]))]
        schedule.add(pairing.result(wins=2) if winner == pairing.first else pairing.result(losses=2))
    standings = schedule.standings()
    assert [(row.rank, row.entry, row.decided_by) for row in standings.rows] == [
        (1, "p0", ""), (2, "p1", "head to head"), (3, "p3", "score"), (4, "p2", "head to head"),
    ]  # fmt: skip
    assert str(standings.explain("p1")) == "p1 is behind p0 on head to head: 0 against 1"
    assert str(standings.explain("p0")) == "p0 leads"
    empty = formats.schedule("round-robin", field(3), order="given").standings()
    assert [row.rank for row in empty.rows] == [1, 1, 1]
    assert str(empty.explain("p1")) == "p1 shares rank 1 with p0: no criterion separates them"


@given(size=fields, legs=st.integers(1, 3))
def test_numbers_of_pairings_without_elimination(size: int, legs: int) -> None:
    assert len(formats.schedule("round-robin", field(size), legs=legs).playable) == legs * size * (size - 1) // 2
    heroes = 1 + size // 3 if size > 2 else 1
    gauntlet = formats.schedule("gauntlet", field(size), heroes=heroes, legs=legs)
    assert len(gauntlet.playable) == legs * heroes * (size - heroes)


# Swiss


def _most_pairs(people: list[str], accepts: set[frozenset[str]]) -> int:
    if len(people) < 2:
        return 0
    one, *rest = people
    best = _most_pairs(rest, accepts)
    for other in rest:
        if frozenset((one, other)) in accepts:
            best = max(best, 1 + _most_pairs([person for person in rest if person != other], accepts))
    return best


@given(size=st.integers(1, 8), data=st.data())
def test_matching_pairs_as_many_as_trying_everything_does(size: int, data: st.DataObject) -> None:
    people = field(size)
    pairs = [frozenset(pair) for pair in combinations(people, 2)]
    accepts = set(data.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()
    partner: dict[str, str] = {}
    choices = {a: [b for b in people if frozenset((a, b)) in accepts] for a in people}
    maximum_matching({a: data.draw(st.permutations(wanted)) for a, wanted in choices.items()}, partner)
    assert all(partner[other] == one and frozenset((one, other)) in accepts for one, other in partner.items())
    assert len(partner) // 2 == _most_pairs(people, accepts)


@QUICK
@given(size=st.integers(2, 30), seed=seeds)
@example(size=9, seed=0)
def test_swiss_has_no_rematch_and_no_second_bye_while_it_can_be_avoided(size: int, seed: int) -> None:
    rng = random.Random(seed)
    rounds = max(1, size // 2)  # a field of n always has a round without rematches in the first n/2
    schedule = formats.schedule("swiss", field(size), seed=seed, rounds=rounds)
    played = finish(schedule, by_chance(rng), rng)
    assert len({frozenset(pairing[1:3]) for pairing in played}) == len(played) == rounds * (size // 2)
    assert len(schedule.byes) == rounds * (size % 2)
    assert len({entry for _, entry in schedule.byes}) == len(schedule.byes)


@QUICK
@given(size=st.integers(3, 29).filter(lambda size: size % 2 == 1), seed=seeds)
def test_a_bye_goes_to_the_lowest_who_has_had_none(size: int, seed: int) -> None:
    rng = random.Random(seed)
    rounds = max(1, size // 4)
    schedule = formats.schedule("swiss", field(size), seed=seed, rounds=rounds)
    points = dict.fromkeys(field(size), 0.0)
    play = by_chance(rng)
    had: set[str] = set()
    for number in range(1, rounds + 1):
        bye = next(entry for at, entry in schedule.byes if at == number)
        assert points[bye] == min(points[entry] for entry in points if entry not in had)
        had.add(bye)
        for pairing in list(schedule.playable.values()):
            schedule.add(play(pairing))
        points = {
            e: t.points - sum(at > number for at, who in schedule.byes if who == e)
            for e, t in schedule.table.totals.items()
        }


def test_swiss_pairs_equal_points_and_more_rounds_than_opponents_still_end() -> None:
    schedule = formats.schedule("swiss", field(64), order="given", rounds=5)
    rank = {entry: index for index, entry in enumerate(field(64))}
    assert schedule.playable["R1.1"][1:3] == ("p0", "p32")
    while not schedule.finished:
        totals = schedule.table.totals
        assert all(totals[p.first].points == totals[p.second].points for p in schedule.playable.values())
        for pairing in list(schedule.playable.values()):
            schedule.add(by_strength(rank)(pairing))
    crowded = formats.schedule("swiss", field(4), rounds=9)
    assert len(finish(crowded, by_strength(rank))) == 18


@settings(max_examples=12, deadline=None)
@given(size=st.integers(2, 8), seed=seeds)
def test_swiss_plays_again_only_what_no_other_round_could_avoid(size: int, seed: int) -> None:
    """Beyond half the field in rounds; each rematch is checked by trying every pairing with every possible bye."""
    rng = random.Random(seed)
    schedule = formats.schedule("swiss", field(size), seed=seed, rounds=size + 1)
    play = by_chance(rng)
    fresh = {frozenset(pair) for pair in combinations(field(size), 2)}
    while not schedule.finished:
        pairings = list(schedule.playable.values())
        new = [frozenset(pairing[1:3]) for pairing in pairings]
        if size % 2:
            number, bye = schedule.byes[-1]
            had = [who for at, who in schedule.byes if at < number]
            byes = [who for who in field(size) if had.count(who) == had.count(bye)]
            assert had.count(bye) == min(map(had.count, field(size)))
        else:
            byes = [""]
        best = max(_most_pairs([who for who in field(size) if who != bye], fresh) for bye in byes)
        avoidable = best == size // 2
        assert not avoidable or fresh.issuperset(new)
        fresh -= set(new)
        for pairing in pairings:
            schedule.add(play(pairing))


def test_five_hundred_players_are_paired_without_a_rematch() -> None:
    rank = {entry: index for index, entry in enumerate(field(500))}
    schedule = formats.schedule("swiss", field(500), seed=7)
    played = finish(schedule, by_strength(rank))
    assert isinstance(schedule, Swiss)
    assert schedule.last_round == 11
    assert len({frozenset(pairing[1:3]) for pairing in played}) == 11 * 250


# Knockout and double elimination


@QUICK
@given(size=st.one_of(fields, st.integers(41, 200)), seed=seeds)
def test_knockout_is_one_pairing_a_loser_and_byes_go_to_the_first_places(size: int, seed: int) -> None:
    rng = random.Random(seed)
    rank = {entry: index for index, entry in enumerate(rng.sample(field(size), size))}
    schedule = formats.schedule("knockout", field(size), seed=seed)
    opening = {entry for pairing in schedule.playable.values() if pairing.round == 1 for entry in pairing[1:3]}
    byes = (1 << (size - 1).bit_length()) - size
    assert set(schedule.order[:byes]).isdisjoint(opening)
    assert set(schedule.order[byes:]) == opening
    assert len(finish(schedule, by_strength(rank), rng)) == size - 1
    third = formats.schedule("knockout", field(size), seed=seed, third_place="yes")
    assert len(finish(third, by_strength(rank), rng)) == size - 1 + (size > 3)
    ranks = [row.rank for row in third.standings().rows]
    assert ranks[: min(size, 4)] == [1, 2, 3, 4][: min(size, 4)]


@QUICK
@given(
    size=st.one_of(fields, st.integers(41, 130)),
    seed=seeds,
    groups=st.integers(0, 5),
    reset=st.sampled_from(["yes", "no"]),
)
def test_double_elimination_puts_nobody_out_before_the_second_loss(
    size: int, seed: int, groups: int, reset: str
) -> None:
    rng = random.Random(seed)
    groups = min(groups, size // 2)
    schedule = formats.schedule("double-elimination", field(size), seed=seed, groups=groups, reset=reset)
    assert isinstance(schedule, DoubleElimination)
    losses = dict.fromkeys(field(size), 0)
    seen: set[str] = set()
    while not schedule.finished:
        pairing = rng.choice(list(schedule.playable.values()))
        upset = rng.random() < 0.5
        schedule.add(pairing.result(wins=int(upset), losses=int(not upset)))
        if not pairing.stage.startswith("group"):
            losses[pairing.second if upset else pairing.first] += 1
        for entry in schedule.exits.keys() - seen:
            in_final = schedule.exits[entry] >= 900
            champion = schedule.exits[entry] == 900.5
            assert losses[entry] == 2 or (champion and losses[entry] < 2) or (in_final and reset == "no")
        seen |= schedule.exits.keys()
    assert seen == set(field(size))
    assert losses == {entry: schedule.losses(entry) for entry in field(size)}
    second_final = "F2" in schedule.results
    assert sum(losses.values()) == 2 * size - 2 + second_final
    assert not (second_final and reset == "no")
    assert losses[schedule.standings().rows[0].entry] <= 1


def test_the_winner_of_the_losers_bracket_can_still_win_it_all() -> None:
    schedule = formats.schedule("double-elimination", field(8), order="given")
    rank = {entry: index for index, entry in enumerate(field(8))}
    finish_but = schedule.playable["W1.1"]
    schedule.add(finish_but.result(losses=1))  # the strongest loses the first pairing, and never again
    finish(schedule, by_strength(rank))
    standings = schedule.standings()
    assert standings.rows[0].entry == "p0"
    assert {"F1", "F2"} <= set(schedule.results)
    assert str(standings.explain("p1")) == "p1 is behind p0 on round reached: final against won the final"
    assert str(standings.explain(standings.rows[2].entry)).endswith("on round reached: losers' round 4 against final")


def _late(rounds: int) -> int:
    """Return the winners' round, from 0, before which no choice of parts can keep all who have met apart.

    To be apart until `late` the masks must differ in their first bits, as many as there are rounds after it; and there
    are only so many beginnings for all the rounds before.
    """
    return next(late for late in range(rounds - 1, -1, -1) if 2 ** (rounds - late) >= late)


@given(rounds=st.integers(2, 9))
def test_drops_keep_those_who_have_met_apart_as_long_as_any_choice_can(rounds: int) -> None:
    masks = drops(rounds)
    assert all(mask < 1 << (rounds - 1 - number) or number == 0 for number, mask in enumerate(masks))
    for number in range(1, rounds):
        for before in range(number):
            apart = (masks[number] ^ (masks[before] >> (number - before))).bit_length()
            assert number + apart >= _late(rounds)


@QUICK
@given(size=st.integers(5, 128), seed=seeds)
def test_nobody_meets_the_same_one_early_in_the_losers_bracket(size: int, seed: int) -> None:
    rng = random.Random(seed)
    schedule = formats.schedule("double-elimination", field(size), seed=seed)
    coin = by_strength({entry: index for index, entry in enumerate(rng.sample(field(size), size))})
    met: dict[frozenset[str], Pairing] = {}
    while not schedule.finished:
        pairing = rng.choice(list(schedule.playable.values()))
        again = met.setdefault(frozenset(pairing[1:3]), pairing)
        if pairing.stage == "losers" and again != pairing:
            assert pairing.round >= 2 * _late((size - 1).bit_length()) - 1
        result = coin(pairing)
        schedule.add(result if rng.random() < 0.6 else pairing.result(result.losses, 0, result.wins))


def test_groups_decide_the_places_and_do_not_meet_again_at_once() -> None:
    for size, groups in ((24, 6), (13, 3), (40, 5)):
        schedule = formats.schedule("double-elimination", field(size), seed=3, groups=groups)
        assert isinstance(schedule, DoubleElimination)
        rank = {entry: index for index, entry in enumerate(field(size))}
        while any(pairing.stage.startswith("group") for pairing in schedule.playable.values()):
            schedule.add(by_strength(rank)(next(iter(schedule.playable.values()))))
        group_of = {entry: index for index, group in enumerate(schedule.groups) for entry in group}
        assert {len(group) for group in schedule.groups} <= {size // groups, size // groups + 1}
        for pairing in schedule.playable.values():
            assert group_of[pairing.first] != group_of[pairing.second]
        best = sorted(schedule.place, key=schedule.place.__getitem__)[:groups]
        assert set(best) == {min(group, key=rank.__getitem__) for group in schedule.groups}


def test_a_tied_pairing_is_played_again_and_then_decided() -> None:
    schedule = formats.schedule("knockout", field(2), order="given", replays=1)
    (again,) = schedule.add(schedule.playable["R1.1"].result(wins=1, losses=1))
    assert again.key == "R1.1+1"
    schedule.add(again.result(wins=1, losses=1, forfeits=(1, 0), seconds=(9.0, 1.0)))
    assert schedule.standings().leaders == ("p1",)
    for result, winner, tie_break, words in (
        (
            {"wins": 1, "losses": 1, "margin": -2},
            "p1",
            "margin",
            "p0 and p1 tied 1 – 1; p1 wins by the tie-break margin",
        ),
        ({"draws": 2, "forfeits": (1, 0)}, "p1", "failures", "p1 wins by the tie-break fewer failures"),
        ({"draws": 2, "seconds": (1.0, 2.0)}, "p1", "time-left", "p1 wins by the tie-break time left"),
        ({"draws": 2}, "p0", "draw", "p0 wins by the tie-break draw order"),
        ({"wins": 2}, "p0", "", ""),
    ):
        short = formats.schedule("knockout", field(2), order="given", replays=0)
        short.add(short.playable["R1.1"].result(**result))
        assert short.standings().leaders == (winner,)
        (last,) = short.bracket()[-1].contests
        assert last.tie_break == tie_break
        drawn = formats.draw_bracket(short.bracket())
        assert words in drawn and ("tie-break" in drawn) == bool(words)


# Ladder and king of the hill


@QUICK
@given(size=st.integers(2, 30), seed=seeds, reach=st.integers(1, 6), rest=st.integers(0, 3))
def test_every_challenge_of_a_ladder_is_allowed(size: int, seed: int, reach: int, rest: int) -> None:
    rng = random.Random(seed)
    schedule = formats.schedule("ladder", field(size), seed=seed, reach=reach, rest=rest, rounds=12)
    assert isinstance(schedule, Ladder)
    play = by_chance(rng)
    while not schedule.finished:
        pairings = list(schedule.playable.values())
        busy = [entry for pairing in pairings for entry in pairing[1:3]]
        assert len(set(busy)) == len(busy)
        assert not any(schedule.list.why_not(p.first, p.second, p.round) for p in pairings)
        for pairing in rng.sample(pairings, len(pairings)):
            schedule.add(play(pairing))
        assert sorted(schedule.list.order) == sorted(schedule.entries)


def test_a_challenger_who_wins_takes_the_place_and_others_move_down() -> None:
    ranks = RankList("abcdefgh", reach=5, rest=1)
    assert ranks.open_to("h", 1) == ("c", "d", "e", "f", "g")
    assert ranks.open_to("a", 1) == ()
    ranks.add(Pairing("C1", "f", "c", 1).result(wins=2))
    assert "".join(ranks.order) == "abfcdegh"
    ranks.add(Pairing("C2", "c", "f", 3).result(wins=1, losses=1))
    assert "".join(ranks.order) == "abfcdegh"
    assert str(ranks.why_not("c", "f", 5)) == "c and f met recently and can meet again from round 6 on"
    assert ranks.why_not("c", "f", 6) is None
    assert "can challenge up to 5 ranks above; rank 2 is out of reach" in str(ranks.why_not("h", "b", 9))
    assert str(ranks.why_not("a", "b", 9)).startswith("a has rank 1 and can challenge")
    assert str(ranks.why_not("z", "b", 9)) == "z is not on the list"
    ranks.join("z")
    assert ranks.rank("z") == 9
    with pytest.raises(ValueError, match="z is already on the list, at rank 9"):
        ranks.join("z")


def test_two_friends_meet_ever_more_seldom() -> None:
    schedule = formats.schedule("ladder", field(2), rounds=60)
    played = finish(schedule, lambda pairing: pairing.result(wins=1))
    assert [pairing.round for pairing in played] == [1, 3, 6, 10, 15, 21, 28, 36, 45, 54]


def test_the_king_stays_until_beaten() -> None:
    schedule = formats.schedule("king-of-the-hill", field(4), order="given", laps=2)
    challengers = []
    for outcome in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0), (1, 0, 0), (1, 0, 0)):
        (pairing,) = schedule.playable.values()
        challengers.append(pairing[1:3])
        schedule.add(pairing.result(*outcome))
    assert challengers == [("p0", "p1"), ("p0", "p2"), ("p0", "p3"), ("p3", "p1"), ("p3", "p2"), ("p3", "p0")]
    assert schedule.finished
    assert [row.entry for row in schedule.standings().rows][:2] == ["p3", "p0"]


# Pictures


def test_a_bracket_is_drawn_as_a_tree() -> None:
    schedule = formats.schedule("knockout", ["ann", "bob", "cid"], order="given")
    schedule.add(schedule.playable["R1.2"].result(wins=1, draws=1))
    assert formats.draw_bracket(schedule.bracket()).splitlines() == [
        "             ann ─────┬─",
        " bob 1.5 ─┬─ bob ─────┘",
        " cid 0.5 ─┘",
    ]
    schedule.add(schedule.playable["R2.1"].result(losses=2))
    assert formats.draw_bracket(schedule.bracket()).splitlines() == [
        "             ann 0 ───┬─ bob",
        " bob 1.5 ─┬─ bob 2 ───┘",
        " cid 0.5 ─┘",
    ]


@QUICK
@given(size=fields, seed=seeds)
def test_every_played_contest_is_in_the_picture(size: int, seed: int) -> None:
    rng = random.Random(seed)
    for name in ("knockout", "double-elimination"):
        schedule = formats.schedule(name, field(size), seed=seed)
        played = finish(schedule, by_strength({e: i for i, e in enumerate(field(size))}), rng)
        contests = [contest for column in schedule.bracket() for contest in column.contests if not contest.bye]
        assert {contest.key for contest in contests} == {pairing.key for pairing in played}
        picture = formats.draw_bracket(schedule.bracket())
        assert picture.count("┬") + picture.count("├") == len(played)


def test_tables_are_drawn_in_columns() -> None:
    schedule = formats.schedule("round-robin", ["ann", "bob", "cid"], order="given")
    for pairing in list(schedule.playable.values()):
        if "cid" not in pairing:
            schedule.add(pairing.result(wins=1, draws=1) if pairing.first == "ann" else pairing.result(0, 1, 1))
    schedule.withdraw("cid")
    order = [row.entry for row in schedule.standings().rows]
    assert [line.split() for line in formats.draw_cross_table(schedule.table, order).splitlines()] == [
        ["1", "2", "3", "score"],
        ["1", "ann", "×", "1.5", "1w", "87.5%"],
        ["2", "bob", "0.5", "×", "1w", "62.5%"],
        ["3", "cid", "0w", "0w", "×", "0.0%"],
    ]
    assert len({len(line) for line in formats.draw_cross_table(schedule.table, order).splitlines()}) == 1
    assert formats.draw_standings(schedule.standings()).splitlines()[-1].split() == (
        ["3.", "cid", "(withdrawn)", "0", "0.0%", "0", "0", "0", "0", "score"]
    )
