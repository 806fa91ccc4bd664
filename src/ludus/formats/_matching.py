"""Pairs out of a set of people who each would rather have some partners than others: Edmonds' maximum matching.

Preferences set the first guess; augmenting paths then pair everybody who can be paired at all, and change as few pairs
as the shortest path needs. Knows nothing of tournaments.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence


def maximum_matching(choices: Mapping[str, Sequence[str]], partner: dict[str, str]) -> None:
    """Extend a matching to a maximum one; `choices` lists who is acceptable to each, best first; both must agree."""
    for one, others in choices.items():
        if one not in partner:
            other = next((other for other in others if other not in partner), None)
            if other is not None:
                partner[one], partner[other] = other, one
    for one in choices:
        if one not in partner:
            _augment(one, choices, partner)


def _augment(root: str, choices: Mapping[str, Sequence[str]], partner: dict[str, str]) -> None:
    """Look for a shortest alternating path from a single person to another, and swap the pairs along it.

    `base` is the first person of the odd ring (blossom) that someone has been found to be in; those of one ring act as
    one.
    """
    base = {person: person for person in choices}
    parent: dict[str, str] = {}
    outer, queue = {root}, deque([root])
    while queue:
        one = queue.popleft()
        for other in choices[one]:
            if base[one] == base[other] or partner.get(one) == other:
                continue
            if other == root or (other in partner and partner[other] in parent):
                _shrink(one, other, base, parent, partner, outer, queue)
            elif other not in parent:
                parent[other] = one
                if other not in partner:
                    _swap(other, parent, partner)
                    return
                outer.add(partner[other])
                queue.append(partner[other])


def _shrink(
    one: str,
    other: str,
    base: dict[str, str],
    parent: dict[str, str],
    partner: dict[str, str],
    outer: set[str],
    queue: deque[str],
) -> None:
    """Make one of the ring that an edge between two outer people closes."""
    stem = _meeting(one, other, base, parent, partner)
    ring: set[str] = set()
    for start, child in ((one, other), (other, one)):
        person, towards = start, child
        while base[person] != stem:
            mate = partner[person]
            ring |= {base[person], base[mate]}
            parent[person] = towards
            towards, person = mate, parent[mate]
    for person, root in base.items():
        if root in ring:
            base[person] = stem
            if person not in outer:
                outer.add(person)
                queue.append(person)


def _meeting(one: str, other: str, base: dict[str, str], parent: dict[str, str], partner: dict[str, str]) -> str:
    """Find where the ways of two people back to the root meet."""
    seen = set()
    person = base[one]
    while True:
        seen.add(person)
        if person not in partner:
            break
        person = base[parent[partner[person]]]
    person = base[other]
    while person not in seen:
        person = base[parent[partner[person]]]
    return person


def _swap(person: str | None, parent: Mapping[str, str], partner: dict[str, str]) -> None:
    """Swap the pairs along the path that ends at a single person."""
    while person is not None:
        before = parent[person]
        after = partner.get(before)
        partner[person], partner[before] = before, person
        person = after
