"""A challenge: pairs of games between two bots, or a bot and a built-in player, each stored as soon as it is over.

After a restart it continues after the last stored game. While a game is played its moves are stored as they come, so
that people can watch.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import time
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from ludus.bots import Bot
from ludus.errors import message_of
from ludus.game import game
from ludus.game_task import Task, perform
from ludus.play.match import Match
from ludus.play.openings import PLIES, for_players, opening
from ludus.protocols import protocol
from ludus.rating.challenge_ladder import ChallengeLadder, Meeting, fixed_points, identity
from ludus.store.bots import BotStore, number_of
from ludus.store.challenges import OPEN, Challenge, ChallengeGame, Challenges
from ludus.store.matches import Matches, StoredMatch
from ludus.web.bots.submissions import stored_bot
from ludus.web.jobs.kinds import JobContext, job_kind

SECONDS_BETWEEN_MOVES = 0.25
"""Moves that follow each other faster are shown together."""


@job_kind("challenge", seconds=3600, urgent=True)
def play_challenge(context: JobContext, challenge: str) -> dict[str, int]:
    """Play the games of a challenge that are left, and finish it."""
    with (
        closing(Challenges(context.database)) as store,
        closing(Matches(context.database)) as matches,
        closing(BotStore(context.database)) as bots,
    ):
        found = store.find(challenge)
        if found is None or found.state != OPEN:
            return {}
        try:
            playing = _bots(found, bots)
        except ValueError as error:
            store.finish(challenge, None, message_of(error))
            raise
        stored = {(played.board, played.seats) for played in store.games(challenge)}
        for place in itertools.product(range(found.pairs), (0, 1)):
            if place not in stored:
                _play(context, found, place, playing, matches, store)
        change = _rating_change(found, store) if found.rated else None
        store.finish(challenge, change)
        return {"played": 2 * found.pairs}


def _bots(challenge: Challenge, store: BotStore) -> dict[str, Bot]:
    """Return the bots that play, by their texts."""
    bots = {challenge.challenger: stored_bot(store, challenge.challenger_id, challenge.challenger_version)}
    number = number_of(challenge.defender)
    if number is not None:
        bots[challenge.defender] = stored_bot(store, number, challenge.defender_version or 0)
    return bots


def _play(
    context: JobContext,
    challenge: Challenge,
    place: tuple[int, int],
    bots: dict[str, Bot],
    matches: Matches,
    store: Challenges,
) -> None:
    """Play the game of a board and a seating, show it to spectators, and store it."""
    board, seats = place
    name = match_name(challenge.id, board, seats)
    progress = {"board": board, "seats": seats, "pairs": challenge.pairs}
    before = matches.load(name)
    version, shown = before.version if before else 0, 0.0
    both = (challenge.challenger, challenge.defender)
    texts = both if seats == 0 else both[::-1]

    def show(record: str, *, finished: bool) -> None:
        nonlocal version
        version += 1
        matches.save(StoredMatch(name, challenge.game, record, [None, None], version, None, finished, challenge.id))

    def show_move(match: Match) -> None:
        nonlocal shown
        if time.monotonic() - shown > SECONDS_BETWEEN_MOVES and match.outcome is None:
            show(match.record.text, finished=False)
            shown = time.monotonic()
            context.report({**progress, "match": name, "moves": len(match.record.moves)})

    made, seed = game(challenge.game), challenge.seed + board
    knows = [text not in bots or protocol(bots[text].protocol).knows_positions for text in texts]
    start, drawn = for_players(opening(made, seed), made.initial(seed), (knows[0], knows[1]), PLIES)
    task = Task("", board, seats, challenge.game, {}, start.text, texts, texts, challenge.clock, seed, drawn=drawn)
    result = perform(task, bots, show_move)
    show(result.record, finished=True)
    points = 0.5 if result.winner is None else float(result.winner == seats)
    sign = 1 if seats == 0 else -1
    played = ChallengeGame(
        board=board,
        seats=seats,
        match=name,
        points=points,
        margin=sign * result.margin,
        reason=result.reason,
        fault=result.fault,
        moves=result.moves,
        used_challenger=result.used[seats],
        used_defender=result.used[1 - seats],
        fault_message=result.fault_message.json if result.fault_message else None,
    )
    store.add_game(challenge.id, played, (result.logs[seats], result.logs[1 - seats]))
    context.report({**progress, "done": True})


def match_name(challenge: str, board: int, seats: int) -> str:
    """Return the name of the match of a game: the same one when it is started again."""
    digest = hashlib.sha256(f"{challenge} {board} {seats}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:9]).decode()


def _rating_change(challenge: Challenge, store: Challenges) -> dict[str, Any]:
    """Return what a rated challenge changes on the ladder, as JSON."""
    name = challenge.game
    points, entries, meetings = fixed_points(name), store.entries(name), store.meetings(name)
    games = store.games(challenge.id)
    met = Meeting(
        challenge.challenger,
        challenge.challenger_version,
        challenge.defender,
        challenge.defender_version,
        datetime.now(UTC),
        [(played.seats, played.points) for played in games],
        sum(played.margin for played in games),
    )
    before, after = ChallengeLadder(points, entries, meetings), ChallengeLadder(points, entries, [*meetings, met])
    both = (challenge.challenger, challenge.defender)
    versions = (challenge.challenger_version, challenge.defender_version)
    rated = [identity(text, version) for text, version in zip(both, versions, strict=True)]
    ratings = after.ratings()
    return {
        "points": met.result.points,
        "ranks": {name: [before.rank(name), after.rank(name)] for name in both},
        "ratings": {name: [*(round(elo, 1) for elo in ratings[name][:3]), ratings[name].games] for name in rated},
    }
