"""The reference is whole: every public name says what its parameters mean, and its examples do what they show."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from typing import Any

import pytest

import ludus
import ludus.client

PUBLIC = {
    "ludus": ludus.__all__,
    "ludus.client": ["ArenaClient", "OnlineMatch"],
    "ludus.envs.gymnasium": ["OpponentEnv", "env"],
    "ludus.envs.openspiel": ["MctsPlayer", "PlayerBot", "load_game"],
    "ludus.envs.pettingzoo": ["GameEnv", "env", "raw_env"],
    "ludus.envs.vector": ["OpponentVectorEnv"],
}
CONTRACTS = {"Game", "State"}
"""What others implement: their members say what they mean; nobody calls them."""
WITHOUT_EXAMPLE = {*CONTRACTS, "OnlineMatch"}
"""The last needs an arena; `docs/arena.md` has one, which `tests/web/test_web_client.py` runs."""
NAMES = [(module, name) for module, names in PUBLIC.items() for name in names]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_public_name_says_what_its_parameters_mean(module: str, name: str) -> None:
    thing = getattr(importlib.import_module(module), name)
    text = inspect.getdoc(thing) or ""
    assert re.match(r"[A-Z].+[.]", text)
    if (isinstance(thing, type) and issubclass(thing, Exception)) or name in CONTRACTS:
        return
    described = set(re.findall(r"^ {4}(\w+): [A-Z`]", text.partition("Args:")[2].partition("\n\n")[0], re.M))
    if name != "Outcome":  # its fields are its first sentence
        assert described == {*inspect.signature(thing).parameters}


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_its_example_does_what_it_shows(module: str, name: str) -> None:
    there = importlib.import_module(module)
    text = inspect.getdoc(getattr(there, name)) or ""
    names: dict[str, Any] = {**vars(there), "ludus": ludus}
    test = doctest.DocTestParser().get_doctest(text, names, f"{module}.{name}", None, 0)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert results.failed == 0
    assert bool(results.attempted) == (name not in WITHOUT_EXAMPLE)
