"""The rules of a ladder that never ends, and what the store keeps of bots and challenges."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.bots.source import File
from ludus.messages import verbatim
from ludus.rating.challenge_ladder import (
    MOST_A_DAY,
    REACH,
    ChallengeLadder,
    LadderEntry,
    Meeting,
    fixed_points,
    identity,
)
from ludus.store.bots import MOST_BOTS, PASSED, BotStore, number_of, read_name
from ludus.store.challenges import ChallengeGame, Challenges
from ludus.web.views import opponents

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
POINTS = {"engine:level=9": 1500.0, "engine:level=5": 1000.0, "greedy": 500.0, "random": 0.0}
BOTS = [LadderEntry(f"bot:{number}", number // 2, 1) for number in range(1, 7)]
NAMES = [*POINTS, *(entry.name for entry in BOTS)]

meetings = st.lists(
    st.tuples(st.sampled_from([entry.name for entry in BOTS]), st.sampled_from(NAMES), st.sampled_from([0.0, 0.5, 1.0]))
    .filter(lambda met: met[0] != met[1])
    .map(lambda met: meeting(met[0], met[1], [met[2]] * 6)),
    max_size=30,
)


def meeting(
    challenger: str, defender: str, points: list[float], at: datetime = NOON, versions: tuple[int, int] = (1, 1)
) -> Meeting:
    theirs = versions[1] if defender.startswith("bot:") else None
    games = [(number % 2, one) for number, one in enumerate(points)]
    return Meeting(challenger, versions[0], defender, theirs, at, games)


@given(meetings)
def test_a_challenge_moves_the_challenger_to_the_place_it_won_and_nobody_else_past_another(met: list[Meeting]) -> None:
    for number, last in enumerate(met):
        before = ChallengeLadder(POINTS, BOTS, met[:number]).order
        after = ChallengeLadder(POINTS, BOTS, met[: number + 1]).order
        assert sorted(after) == sorted(NAMES)
        rest = [name for name in before if name != last.challenger]
        assert [name for name in after if name != last.challenger] == rest, "all others keep their order"
        won = last.result.points == 1 and before.index(last.defender) < before.index(last.challenger)
        expected = before.index(last.defender if won else last.challenger)
        assert after.index(last.challenger) == expected


@given(meetings, st.sets(st.sampled_from([entry.name for entry in BOTS])))
def test_who_leaves_changes_nobody_elses_order(met: list[Meeting], gone: set[str]) -> None:
    entries = [entry._replace(left=entry.name in gone) for entry in BOTS]
    everyone = ChallengeLadder(POINTS, BOTS, met).order
    assert ChallengeLadder(POINTS, entries, met).order == tuple(name for name in everyone if name not in gone)


@given(meetings)
def test_the_tally_counts_every_challenge_once_for_each_of_the_two(met: list[Meeting]) -> None:
    lines = {line.name: line for line in ChallengeLadder(POINTS, BOTS, met).lines()}
    assert sum(line.won for line in lines.values()) == sum(line.lost for line in lines.values())
    for name, line in lines.items():
        assert line.won + line.drawn + line.lost == sum(name in (one.challenger, one.defender) for one in met)


@given(meetings, st.sampled_from([entry.name for entry in BOTS]), st.sampled_from(NAMES))
def test_a_challenge_is_allowed_only_upwards_within_reach_and_to_others(
    met: list[Meeting], challenger: str, defender: str
) -> None:
    ladder = ChallengeLadder(POINTS, BOTS, met)
    long_after = NOON + timedelta(days=3)
    allowed = challenger != defender and not ladder.why_not(challenger, defender, long_after)
    place = ladder.order.index(challenger) if challenger in ladder.order else 0
    owners = {entry.name: entry.owner for entry in BOTS}
    same_owner = defender in owners and owners[defender] == owners[challenger]
    assert allowed == (defender in ladder.order[max(0, place - REACH) : place] and not same_owner)
    if allowed:
        mine, theirs = ladder.rank(challenger), ladder.rank(defender)
        assert mine is not None
        assert theirs is not None
        assert 0 < mine - theirs <= REACH


def test_the_rules_against_farming() -> None:
    met = [meeting("bot:2", "random", [1.0] * 6)]
    ladder = ChallengeLadder(POINTS, BOTS, met)
    assert ladder.why_not("bot:2", "greedy", NOON) is None
    assert "12 rated challenges per day" in str(ladder.why_not("bot:2", "greedy", NOON, MOST_A_DAY))
    assert "yours" in str(ladder.why_not("bot:5", "bot:4", NOON))
    assert "up to 5 ranks above" in str(ladder.why_not("bot:6", "greedy", NOON))
    assert "rank 5 is out of reach" in str(ladder.why_not("bot:2", "random", NOON)), "nobody challenges downwards"
    assert "not on the ladder" in str(ladder.why_not("bot:9", "random", NOON))
    assert "unrated" in str(ladder.why_not("bot:2", "bot:9", NOON))


@pytest.mark.parametrize("times", [1, 2, 5, 20])
def test_two_who_have_met_often_wait_longer(times: int) -> None:
    ladder = ChallengeLadder(POINTS, BOTS, [meeting("bot:1", "random", [0.0] * 6)] * times)
    hours = min(times, 8) + 1
    assert "met recently" in str(ladder.why_not("bot:1", "random", NOON + timedelta(hours=hours - 1)))
    assert ladder.why_not("bot:1", "random", NOON + timedelta(hours=hours)) is None


def test_ratings_hold_to_the_fixed_points_and_a_new_version_begins_anew() -> None:
    met = [meeting("bot:1", "greedy", [1.0, 1.0, 0.0, 1.0, 0.0, 1.0]), meeting("bot:2", "bot:1", [1.0] * 6)]
    ratings = ChallengeLadder(POINTS, BOTS, met).ratings()
    assert ratings["greedy"].elo == 500.0
    assert 500 < ratings["bot:1@1"].elo < ratings["bot:2@1"].elo
    assert ratings["bot:1@1"].low < ratings["bot:1@1"].elo < ratings["bot:1@1"].high
    newer = [*met, meeting("bot:1", "greedy", [0.0] * 6, versions=(2, 1))]
    changed = ChallengeLadder(POINTS, BOTS, newer).ratings()
    assert changed[identity("bot:1", 2)].elo < 500
    assert changed["bot:1@1"].elo == pytest.approx(ratings["bot:1@1"].elo, abs=60), (
        "the seat's worth may shift a little"
    )
    assert ChallengeLadder(POINTS, BOTS, []).ratings() == {}


def test_what_is_assumed_of_a_version_does_not_depend_on_whom_others_meet() -> None:
    """One that lost every game rests on little else; a match between others must not move it by hundreds."""
    lost = meeting("bot:1", "engine:level=9", [0.0] * 6)
    alone = ChallengeLadder(POINTS, BOTS, [lost]).ratings()["bot:1@1"].elo
    for other in ("random", "greedy", "engine:level=5"):
        among = ChallengeLadder(POINTS, BOTS, [lost, meeting("bot:2", other, [1.0] * 6)]).ratings()["bot:1@1"].elo
        assert among == pytest.approx(alone, abs=10)


@pytest.mark.parametrize("name", ludus.games())
def test_every_game_has_fixed_points_that_play_it_the_strongest_first(name: str) -> None:
    points = fixed_points(name)
    assert points["random"] == 0
    assert list(points.values()) == sorted(points.values(), reverse=True)
    assert set(points) <= set(opponents(name))
    assert fixed_points("no-such-game") == {}


# The store


@pytest.fixture
def bots(shared_database: Path | str) -> Iterator[BotStore]:
    store = BotStore(shared_database)
    yield store
    for bot in store.all():
        store.remove(bot.id)
    store.close()


@pytest.fixture
def challenges(shared_database: Path | str) -> Iterator[Challenges]:
    store = Challenges(shared_database)
    yield store
    store.close()


FILES = {"bot.py": File(b"print(1)\n"), "bot.toml": File(b"name = 'x'\n")}


def passed(bots: BotStore, owner: int, name: str) -> int:
    bot = bots.add(owner, "cantris", name)
    bots.add_version(bot.id, FILES, "lines", "python")
    bots.change_version(bot.id, 1, state=PASSED)
    return bot.id


def test_bots_and_their_versions_are_kept(bots: BotStore) -> None:
    bot = bots.add(7, "cantris", "Deep Tile")
    with pytest.raises(ValueError, match="there is already a bot named ＤＥＥＰ tile"):
        bots.add(8, "cantris", "ＤＥＥＰ tile")
    bots.add(8, "fruit-rage", "Deep Tile")
    first = bots.add_version(bot.id, FILES, "lines", "python")
    assert (first.number, first.state) == (1, "waiting")
    with pytest.raises(ValueError, match="nothing has changed since version 1"):
        bots.add_version(bot.id, FILES, "lines", "python")
    second = bots.add_version(bot.id, {**FILES, "more.py": File(b"\0", executable=True)}, "lines", "python")
    assert bots.files(bot.id, second.number)["more.py"] == File(b"\0", executable=True)
    assert bots.playing(bot.id) is None
    bots.change_version(bot.id, 1, state=PASSED, log="a\0b", report={"findings": []})
    assert bots.playing(bot.id) == 1
    assert [one.log for one in bots.versions(bot.id)] == ["", "ab"]
    assert bots.names([bot.text, "bot:999999", None, "greedy"]) == {bot.text: "Deep Tile"}
    bots.enter(bot.id)
    with pytest.raises(ValueError, match="on the ladder is always public"):
        bots.publish(bot.id, public=False)
    bots.remove(bot.id)
    gone = bots.find(bot.id)
    assert gone is not None
    assert (gone.name, gone.owner, gone.public) == (None, None, False)
    assert bots.names([bot.text]) == {}
    with pytest.raises(ValueError, match="removed"):
        bots.files(bot.id, 1)
    bots.add(9, "cantris", "Deep Tile")


def test_one_person_has_not_any_number_of_bots(bots: BotStore) -> None:
    for number in range(MOST_BOTS):
        bots.add(11, "cantris", f"many {number}")
    with pytest.raises(ValueError, match="can have 20 bots"):
        bots.add(11, "cantris", "one more")


def test_files_that_do_not_shrink_are_too_large(bots: BotStore) -> None:
    import random  # noqa: PLC0415

    bot = bots.add(12, "cantris", "Large")
    noise = random.Random(1).randbytes(9 << 20)
    with pytest.raises(ValueError, match="at most 8 MB"):
        bots.add_version(bot.id, {"noise": File(noise)}, "lines", "python")


def test_a_rating_changes_only_by_challenges_of_its_own(bots: BotStore, challenges: Challenges) -> None:
    """The two of a challenge take their ratings from it; what it says of others, they learn when they play again."""
    first, second, third = (passed(bots, 20 + number, f"Rated {number}") for number in range(3))
    one, two, three = (identity(f"bot:{bot}", 1) for bot in (first, second, third))

    def met(challenger: int, defender: int, ratings: dict[str, list[float]]) -> None:
        made = challenges.add(
            "magnetic-cave", (challenger, 1), (f"bot:{defender}", 1), rated=True, pairs=1, clock="3/move"
        )
        challenges.finish(made.id, {"ratings": ratings})

    met(first, second, {one: [700, 600, 800, 6], two: [300, 200, 400, 6], three: [9, 9, 9, 9]})
    assert challenges.ratings("magnetic-cave") == {one: [700, 600, 800, 6], two: [300, 200, 400, 6]}
    met(third, second, {one: [934, 900, 999, 6], two: [500, 450, 550, 12], three: [550, 450, 650, 6]})
    after = {one: [700, 600, 800, 6], two: [500, 450, 550, 12], three: [550, 450, 650, 6]}
    assert challenges.ratings("magnetic-cave") == after


def played(board: int, seats: int, points: float, margin: int = 0) -> ChallengeGame:
    how = {"match": "m" * 12, "reason": "rules", "fault": "", "moves": 20, "used_challenger": 0.1, "used_defender": 0.2}
    return ChallengeGame(board=board, seats=seats, points=points, margin=margin, **how)


def test_challenges_are_kept_and_a_bot_has_one_open(bots: BotStore, challenges: Challenges) -> None:
    mine, other = passed(bots, 1, "Mine"), passed(bots, 2, "Other")
    bots.enter(mine)
    terms = {"pairs": 1, "clock": "3/move"}
    made = challenges.add("cantris", (mine, 1), (f"bot:{other}", 1), rated=True, **terms)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has an open challenge"):
        challenges.add("cantris", (mine, 1), ("greedy", None), rated=False, **terms)  # type: ignore[arg-type]
    for seats, points in ((0, 1.0), (1, 0.5)):
        for logs in (("mine\0", "theirs"), ("again", "again")):
            challenges.add_game(made.id, played(0, seats, points, margin=3), logs)
    assert [game.points for game in challenges.games(made.id)] == [1.0, 0.5]
    assert challenges.log(made.id, 0, 0, defender=False) == "mine"
    assert challenges.log(made.id, 0, 1, defender=True) == "theirs"
    assert challenges.log(made.id, 5, 0, defender=True) is None
    now = datetime.now(UTC)
    assert challenges.between(mine, now - timedelta(days=1), now) == 1
    challenges.finish(made.id, {"ratings": {identity(f"bot:{mine}", 1): [1, 0, 2, 6]}})
    challenges.finish(made.id, None, verbatim("too late to change it"))
    assert [entry.name for entry in challenges.entries("cantris") if not entry.left] == [f"bot:{mine}"]
    (met,) = [one for one in challenges.meetings("cantris") if one.challenger == f"bot:{mine}"]
    assert (met.games, met.margin, met.result.points) == ([(0, 1.0), (1, 0.5)], 6, 1.0)
    assert challenges.ratings("cantris") == {identity(f"bot:{mine}", 1): [1, 0, 2, 6]}
    following = challenges.add("cantris", (mine, 1), ("greedy", None), rated=False, **terms)  # type: ignore[arg-type]
    challenges.finish(following.id, None, verbatim("stopped"))
    assert {one.id for one in challenges.of(mine)} == {made.id, following.id}
    bots.remove(mine)
    assert challenges.log(made.id, 0, 0, defender=False) == ""
    assert challenges.log(made.id, 0, 0, defender=True) == "theirs"
    challenges.add_game(made.id, played(1, 0, 1.0), ("late", "theirs"))
    assert challenges.log(made.id, 1, 0, defender=False) == "", "a job under way keeps nothing of a bot that is gone"
    bots.change_version(mine, 1, log="late")
    assert bots.versions(mine)[0].log == ""


@pytest.mark.parametrize("name", ["", " ", "a" * 33, "a:b", "a\nb\x00", "greedy", "GREEDY", "\u202e"])
def test_names_that_no_bot_can_have(name: str) -> None:
    with pytest.raises(ValueError, match=r"the name of a bot must have|name of a built-in player"):
        read_name(name, ("greedy", "random"))


@given(st.text())
def test_only_a_bots_text_has_a_number(text: str) -> None:
    number = number_of(text)
    assert number is None or text == f"bot:{text[4:]}"
    assert number_of("bot:12") == 12
    assert number_of(f"bot:{'9' * 12}") is None
