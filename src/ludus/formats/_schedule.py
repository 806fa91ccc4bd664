"""What a format is: results in, pairings out.

A schedule is a function of its entries, options, seed, the set of results and the withdrawals, and of nothing else:
built again from the same, it offers the same pairings. Knows no game, no runner and no storage.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ludus.errors import UserError
from ludus.formats._standings import CrossTable, Standings
from ludus.game import Choice, Number, with_defaults
from ludus.messages import Message

if TYPE_CHECKING:
    from ludus.formats._bracket import BracketRound

MOST_ENTRIES = 500


class Pairing(NamedTuple):
    """Two entries that are to meet. The key is unique in a tournament, and the same in every run of its draw."""

    key: str
    first: str
    second: str
    round: int = 1
    stage: str = ""
    """The part of the tournament, where it has parts: `group A`, `winners`, `losers`, `final`."""

    def result(
        self,
        wins: int = 0,
        draws: int = 0,
        losses: int = 0,
        margin: int = 0,
        forfeits: tuple[int, int] = (0, 0),
        seconds: tuple[float, float] = (0.0, 0.0),
    ) -> Result:
        """Return the result of this pairing: games won, drawn and lost by `first`, and what ties are broken by."""
        return Result(self, wins, draws, losses, margin, forfeits, seconds)


class Result(NamedTuple):
    """How a pairing went, as `first` sees it, over all its games."""

    pairing: Pairing
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margin: int = 0
    """Points on the board that `first` won by, summed over the games; 0 in games without points."""
    forfeits: tuple[int, int] = (0, 0)
    """Games that (first, second) lost by a failure: time, crash, illegal move."""
    seconds: tuple[float, float] = (0.0, 0.0)
    """Time that (first, second) had left, summed over the games."""
    walkover: bool = False
    """Decided without a game, since one of the two had withdrawn."""

    @property
    def key(self) -> str:
        """The pairing's."""
        return self.pairing.key

    @property
    def games(self) -> int:
        """The games that were played: none in a walkover."""
        return 0 if self.walkover else self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The part of the game points that `first` won, 0 to 1."""
        return (self.wins + self.draws / 2) / (self.wins + self.draws + self.losses)

    @property
    def points(self) -> float:
        """1 when `first` won the pairing, 0.5 tied, 0 lost: by game points, then by the margin over its games."""
        lead = self.wins - self.losses or self.margin
        return 0.5 if lead == 0 else float(lead > 0)


ORDER: dict[str, Number | Choice] = {
    "order": Choice(("drawn", "given"), "drawn", "by lot with the seed, or as the entries are listed")
}
GIVEN: dict[str, Number | Choice] = {
    "order": Choice(("drawn", "given"), "given", "by lot with the seed, or as the entries are listed")
}


class Schedule:
    """A format at work on a field of entries.

    A format is a subclass: it says which pairings can be played at the start, which ones a result makes possible, and
    how entries rank. Everything about storing results, walkovers and results that come early is here.
    """

    name: ClassVar[str]
    options: ClassVar[Mapping[str, Number | Choice]] = ORDER

    def __init__(
        self,
        entries: Iterable[str],
        *,
        seed: int = 0,
        results: Iterable[Result] = (),
        withdrawn: Mapping[str, int] | None = None,
        **options: int | str,
    ) -> None:
        self.entries = _checked(self.name, entries)
        self.settings = self._settled(options)
        self.seed = seed
        drawn = list(self.entries)
        if self.settings.get("order") == "drawn":
            self.lot("order").shuffle(drawn)
        self.order: Sequence[str] = tuple(drawn)
        """The entries as the draw ranked them before the first game, the strongest first."""
        self.place = {entry: index for index, entry in enumerate(self.order)}
        self.table = CrossTable(self.entries)
        self.byes: list[tuple[int, str]] = []
        """Free rounds that were given: (round, entry)."""
        self.withdrawn: dict[str, int] = {}
        """The withdrawn entries in their order, and in which round; with the results they determine the schedule."""
        for entry, left in (withdrawn or {}).items():
            self.withdrawn[self._known(entry)] = left
        self._played: dict[str, Result] = {}
        self._playable: dict[str, Pairing] = {}
        self._early: dict[str, Result] = {}
        for result in results:
            if self._is_new(result):
                self._early[result.key] = result
        self.prepare()
        self._arrange(self.start())

    # What a format says.

    def prepare(self) -> None:
        """Set up what the format keeps; options and the drawn order are known."""

    def start(self) -> Iterable[Pairing]:
        """Return the pairings that can be played before any result."""
        raise NotImplementedError

    def follow(self, result: Result) -> Iterable[Pairing]:  # noqa: ARG002 - a format may need it
        """Handle a result, once and in any order, and return the pairings that it makes possible: none by default."""
        return ()

    def standings(self) -> Standings:
        """Return the ranked table."""
        raise NotImplementedError

    def bracket(self) -> tuple[BracketRound, ...]:
        """Return the rounds of the bracket as plain data; nothing where a format has none."""
        return ()

    # What a runner calls.

    @property
    def playable(self) -> Mapping[str, Pairing]:
        """The pairings that can be played now, by key, in the order in which they came up."""
        return MappingProxyType(self._playable)

    @property
    def results(self) -> Mapping[str, Result]:
        """Every result that counts, by key, walkovers among them."""
        return MappingProxyType(self._played)

    @property
    def early(self) -> Mapping[str, Result]:
        """Results whose pairing is not drawn yet; any left at the end belong to another draw."""
        return MappingProxyType(self._early)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play."""
        return not self._playable

    @property
    def round(self) -> int:
        """The earliest round that is not over; the last one at the end."""
        if self._playable:
            return min(pairing.round for pairing in self._playable.values())
        return max((result.pairing.round for result in self._played.values()), default=1)

    def add(self, result: Result) -> tuple[Pairing, ...]:
        """Add a result and return the pairings that it made playable. The same result again changes nothing."""
        if not self._is_new(result):
            return ()
        pairing = self._playable.get(result.key)
        if pairing is None:
            self._early[result.key] = result
            return ()
        self._match(pairing, result)
        del self._playable[result.key]
        return self._arrange(self._take(result))

    def withdraw(self, entry: str) -> tuple[Pairing, ...]:
        """Withdraw an entry: it loses its open pairings by walkover. Return the pairings that this made playable."""
        if self._known(entry) in self.withdrawn:
            return ()
        self.withdrawn[entry] = self.round
        given_up = [pairing for pairing in self._playable.values() if entry in (pairing.first, pairing.second)]
        for pairing in given_up:
            del self._playable[pairing.key]
        return self._arrange(given_up)

    def lot(self, *what: object) -> random.Random:
        """Return a random generator for one decision: the same for the same seed, independent of all others."""
        return random.Random(":".join(map(str, (self.name, self.seed, *what))))

    # How it works.

    def _arrange(self, pairings: Iterable[Pairing]) -> tuple[Pairing, ...]:
        """Open pairings, or decide those whose result is known; return those to be played."""
        opened = []
        queue = deque(pairings)
        while queue:
            pairing = queue.popleft()
            result = self._early.pop(pairing.key, None) or self._walkover(pairing)
            if result is None:
                self._playable[pairing.key] = pairing
                opened.append(pairing)
            else:
                self._match(pairing, result)
                queue.extend(self._take(result))
        return tuple(opened)

    def _is_new(self, result: Result) -> bool:
        """Return whether a result is new; raise UserError if it contradicts a known one."""
        known = self._played.get(_sound(result).key) or self._early.get(result.key)
        if known is not None and known != result:
            code = "formats.pairing_walkover" if known.walkover else "formats.pairing_decided"
            raise UserError(code, pairing=result.key)
        return known is None

    def _take(self, result: Result) -> Iterable[Pairing]:
        self._played[result.key] = result
        self.table.add(result)
        return self.follow(result)

    def _walkover(self, pairing: Pairing) -> Result | None:
        """Return the result of a pairing with a withdrawn entry; of two, the one that withdrew first loses."""
        gone = next((entry for entry in self.withdrawn if entry in (pairing.first, pairing.second)), None)
        if gone is None:
            return None
        return Result(pairing, wins=int(gone == pairing.second), losses=int(gone == pairing.first), walkover=True)

    def _match(self, pairing: Pairing, result: Result) -> None:
        """Raise UserError for the result of another draw."""
        drawn, given = pairing[1:3], result.pairing[1:3]
        if drawn != given:
            raise UserError("formats.other_draw", pairing=pairing.key, drawn=_against(drawn), given=_against(given))

    def _known(self, entry: str) -> str:
        if entry not in self.place:
            raise UserError("formats.no_such_entry", entry=repr(entry))
        return entry

    def _settled(self, given: Mapping[str, int | str]) -> Mapping[str, int | str]:
        """Check the options and fill in the defaults; those that depend on the field are left to `prepare`."""
        for name in given:
            if name not in self.options:
                raise UserError(
                    "formats.no_such_option", format=self.name, option=repr(name), options=list(self.options)
                )
        return with_defaults(self.options, given)

    def number(self, name: str, default: int = 0) -> int:
        """Return an option's whole number, or a default if it was not given."""
        return int(self.settings.get(name, default))


class Rounds(Schedule):
    """A format that draws a round when the one before is over."""

    def prepare(self) -> None:
        """Begin before the first round."""
        self.drawn = 0
        self._open = 0

    @property
    def last_round(self) -> int:
        """The number of rounds."""
        raise NotImplementedError

    def draw(self, number: int) -> list[Pairing]:
        """Return the pairings of a round; all results of the rounds before are in the table."""
        raise NotImplementedError

    @property
    def round(self) -> int:
        """The round that was drawn last."""
        return max(self.drawn, 1)

    def active(self) -> list[str]:
        """Return the entries that can be paired in this round, in the drawn order."""
        return [entry for entry in self.order if self.withdrawn.get(entry, self.drawn) >= self.drawn]

    def start(self) -> Iterable[Pairing]:
        """Draw rounds until one has pairings; in some rounds all entries may rest or have withdrawn."""
        while self.drawn < self.last_round:
            self.drawn += 1
            pairings = self.draw(self.drawn)
            if pairings:
                self._open = len(pairings)
                return pairings
        return ()

    def follow(self, result: Result) -> Iterable[Pairing]:  # noqa: ARG002 - the table has it already
        """Draw the next round after the last result of one."""
        self._open -= 1
        return self.start() if self._open == 0 else ()


def _checked(format_name: str, entries: Iterable[str]) -> tuple[str, ...]:
    entries = tuple(entries)
    if not 2 <= len(entries) <= MOST_ENTRIES:
        raise UserError("formats.entry_count", format=format_name, most=MOST_ENTRIES, count=len(entries))
    seen: set[str] = set()
    for entry in entries:
        if entry in seen:
            raise UserError("formats.entry_twice", entry=repr(entry))
        seen.add(entry)
    return entries


def _sound(result: Result) -> Result:
    numbers = (result.wins, result.draws, result.losses)
    if min(numbers) < 0 or sum(numbers) == 0:
        raise UserError("formats.result_empty", pairing=result.key, numbers=str(numbers))
    return result


def _against(entries: tuple[str, str]) -> Message:
    return Message("formats.against", first=entries[0], second=entries[1])
