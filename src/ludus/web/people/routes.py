"""The routes of people: one's own games, profiles, and what a profile shows. Knows no rule and no SQL."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal

from fastapi import Body, Depends, HTTPException, Path, Query
from pydantic import BaseModel, Field

from ludus.messages import Message
from ludus.store.accounts import LONGEST_NAME, Account, owner_of_account
from ludus.store.played import GameFilter, people_in
from ludus.store.profiles import PARTS, Profile
from ludus.web.accounts.visitors import Student, Visitor, Who
from ludus.web.http.routing import Router
from ludus.web.people.views import (
    PlayedPageView,
    ProfileView,
    PublicBotView,
    TotalView,
    played_views,
    rating_histories,
)
from ludus.web.services import Services, ServicesDep
from ludus.web.views import game_title

router = Router()

Page = Annotated[int, Query(ge=0, le=1000)]
Part = Literal["games", "ratings", "bots", "levels"]
Kind = Literal["engine", "bot", "person", "self"]
Result = Literal["open", "won", "drawn", "lost", "both"]


class ViewedPerson(BaseModel):
    """Somebody's account, and what a viewer may see of it."""

    account: Account
    profile: Profile
    mine: bool

    def shows(self, part: str) -> bool:
        """Return whether the viewer sees a part; a person sees all of their own."""
        return self.mine or part in self.profile.shows


class Visibility(BaseModel):
    """What a person lets others see."""

    public: bool
    shows: Annotated[list[Part], Field(max_length=len(PARTS))]


def person_of(
    services: ServicesDep, who: Who, person: Annotated[str, Path(max_length=2 * LONGEST_NAME)]
) -> ViewedPerson:
    """Return a person by name; respond 404 to others when there is none, or the profile is not public."""
    account = services.accounts.find(person)
    profile = services.profiles.of(account.id) if account else Profile()
    if account is None or not (profile.public or who.owns(account.id)):
        raise HTTPException(404, Message("web.no_such_person"))
    return ViewedPerson(account=account, profile=profile, mine=who.owns(account.id))


PersonDep = Annotated[ViewedPerson, Depends(person_of)]


def list_games(services: Services, owner: str, who: Visitor, wanted: GameFilter, page: int) -> PlayedPageView:
    """Return a page of somebody's games for a viewer."""
    rows, count = services.played.find(owner, wanted, page) if owner else ([], 0)
    hidden = services.bots.hidden([row.opponent for row in rows], who)
    return PlayedPageView(games=played_views(rows, services.names(people_in(rows)), hidden), count=count)


def wanted_games(
    game: Annotated[str | None, Query(max_length=64)] = None,
    result: Result | None = None,
    opponent: Kind | None = None,
    name: Annotated[str, Query(max_length=64)] = "",
    since: date | None = None,
    until: date | None = None,
) -> GameFilter:
    """Return which games an address asks for; both days are included."""
    begin = datetime.combine(since, time(), UTC) if since else None
    last_day = until if until and until < date.max else None
    return GameFilter(
        game,
        result,
        opponent,
        name,
        begin,
        datetime.combine(last_day + timedelta(1), time(), UTC) if last_day else None,
    )


@router.get("/my/games")
def my_games(
    services: ServicesDep, who: Who, wanted: Annotated[GameFilter, Depends(wanted_games)], page: Page = 0
) -> PlayedPageView:
    """List the visitor's own games, those with the latest moves first; a guest is known by a cookie."""
    return list_games(services, who.owner, who, wanted, page)


@router.get("/people/{person}")
def show(services: ServicesDep, who: Who, found: PersonDep) -> ProfileView:
    """Return the profile of a person: what they let others see."""
    account, owner = found.account, owner_of_account(found.account.id)
    bots = [bot for bot in services.bots.store.of(account.id) if bot.public and bot.name]
    totals = services.played.totals(owner, public=not found.mine) if found.shows("games") else None
    return ProfileView(
        name=account.name,
        joined=services.accounts.joined(account),
        mine=found.mine,
        public=found.profile.public,
        shows=list(found.profile.shows),
        totals=None
        if totals is None
        else [
            TotalView(game=game, title=game_title(game), won=won, drawn=drawn, lost=lost)
            for game, (won, drawn, lost) in sorted(totals.items())
        ],
        games=list_games(services, owner, who, GameFilter(public=True), 0) if found.shows("games") else None,
        ratings=rating_histories(services.ratings.history(account.id), matches=found.shows("games"))
        if found.shows("ratings")
        else None,
        bots=[
            PublicBotView(id=bot.id, name=bot.name or "", game=bot.game, entered=bot.entered is not None)
            for bot in bots
        ]
        if found.shows("bots")
        else None,
        levels=services.played.against_levels(owner) if found.shows("levels") else None,
    )


@router.get("/people/{person}/games")
def list_public_games(services: ServicesDep, who: Who, found: PersonDep, page: Page = 0) -> PlayedPageView:
    """List the games of a person that anybody could find: rated ones, and those from the lobby."""
    if not found.shows("games"):
        raise HTTPException(404, Message("web.not_shown"))
    return list_games(services, owner_of_account(found.account.id), who, GameFilter(public=True), page)


@router.get("/profile")
def my_profile(services: ServicesDep, who: Student) -> Visibility:
    """Return what the visitor lets others see."""
    profile = services.profiles.of(who.signed_in.id)
    return Visibility.model_validate({"public": profile.public, "shows": list(profile.shows)})


@router.post("/profile")
def change_profile(services: ServicesDep, who: Student, shown: Annotated[Visibility, Body()]) -> Visibility:
    """Change what others see."""
    services.profiles.set(who.signed_in.id, Profile(shown.public, tuple(shown.shows)))
    return my_profile(services, who)
