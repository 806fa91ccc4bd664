"""Steps per second of batches beside OpenSpiel and pgx (JAX), in one run: `pip install jax pgx` first.

    python bench/batch.py --rounds 5

A step chooses a random legal action in each state, plays it, begins a new game where one ended, and makes the new
observation, the mask of legal actions, the rewards and the ends available to Python. `calls` makes one call of the
library for each step, as a program that learns does; `loop` leaves a hundred steps, or ten of many states, to it, where
it can do that (`Batch.random_steps`, a loop compiled by JAX; OpenSpiel has none in Python). The libraries take turns,
and each figure is the best of some short rounds: what else the machine does can only make them smaller. On a machine
that is always busy, `--cpu` counts CPU seconds of all threads instead of seconds on the clock. Connect Four is the game
that all have; the others are of like size.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pgx
import pyspiel
from pgx.experimental import auto_reset

import ludus

STATES = (1, 64, 4096)
MANY = 4096
Work = Callable[[], int]
"""Does some steps and returns how many; it returns when they are done."""


def repeats(states: int) -> tuple[int, int]:
    """Return how many calls, and how many steps of a loop, are one piece of work: seconds at most for the slowest."""
    return (2, 10) if states >= MANY else (20, 100)


def ours(name: str, states: int) -> dict[str, Work]:
    """Return the work of our batches."""
    batch = ludus.batch(name, states)
    called, looped = repeats(states)

    def calls() -> int:
        for _ in range(called):
            batch.step(batch.random_actions())
        return called * states

    def loop() -> int:
        batch.random_steps(looped)
        return looped * states

    return {"calls": calls, "loop": loop}


def jax_loop(name: str, states: int) -> dict[str, Work]:
    """Return the work of pgx: all states in one compiled function."""
    env = pgx.make(name)
    called, looped = repeats(states)
    step = auto_reset(env.step, env.init)

    def one(carried: Any) -> Any:
        state, key = carried
        key, first, second = jax.random.split(key, 3)
        action = jax.random.categorical(first, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=1)
        return jax.vmap(step)(state, action, jax.random.split(second, states)), key

    compiled = jax.jit(one)
    many = jax.jit(lambda carried: jax.lax.fori_loop(0, looped, lambda _, now: one(now), carried))
    keys = jax.random.split(jax.random.PRNGKey(0), states)
    held = [(jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1))]

    def calls() -> int:
        for _ in range(called):
            held[0] = compiled(held[0])
        jax.block_until_ready(held[0])
        return called * states

    def loop() -> int:
        held[0] = jax.block_until_ready(many(held[0]))
        return looped * states

    return {"calls": calls, "loop": loop}


def open_spiel(name: str, states: int) -> dict[str, Work]:
    """Return the work of OpenSpiel: states one by one, which is all that it has."""
    game = pyspiel.load_game(name)
    held = [game.new_initial_state() for _ in range(states)]
    chooser = random.Random(1)

    def calls() -> int:
        for slot, state in enumerate(held):
            state.apply_action(chooser.choice(state.legal_actions()))
            state.rewards()
            if state.is_terminal():
                held[slot] = game.new_initial_state()
            held[slot].observation_tensor()
            held[slot].legal_actions_mask()
        return states

    return {"calls": calls}


LIBRARIES = {"ludus": ours, "pgx": jax_loop, "open_spiel": open_spiel}
GAMES = (
    {"ludus": "connect-four", "pgx": "connect_four", "open_spiel": "connect_four"},
    {"ludus": "magnetic-cave", "pgx": "othello", "open_spiel": "othello"},
    {"ludus": "chain-reaction", "pgx": "animal_shogi", "open_spiel": "breakthrough(rows=6,columns=6)"},
)
"""The same game, then boards of 8 x 8, then small boards with many moves."""


def best_rate(work: Work, seconds: float, best: float, clock: Callable[[], float]) -> float:
    """Work that long, and return the steps per second, or the best so far if that was more."""
    began, steps = clock(), 0
    while (taken := clock() - began) < seconds:
        steps += work()
    return max(best, steps / taken)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Steps per second of batches beside OpenSpiel and pgx.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one round of one library")
    parser.add_argument("--game", choices=[names["ludus"] for names in GAMES], help="only that game of ours")
    parser.add_argument("--states", type=int, choices=STATES, help="only that many")
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds")
    given = parser.parse_args()
    clock = time.process_time if given.cpu else time.perf_counter
    print(f"{'games':<66}{'states':>7}  {'kind':<6}{'ludus':>14}{'pgx':>14}{'open_spiel':>14}{'times':>7}")
    for names in (names for names in GAMES if given.game in (None, names["ludus"])):
        for states in (states for states in STATES if given.states in (None, states)):
            works = {library: make(names[library], states) for library, make in LIBRARIES.items()}
            for kind in ("calls", "loop"):
                rates = {library: 0.0 for library, work in works.items() if kind in work}
                for library in rates:
                    works[library][kind]()  # what is compiled is compiled now
                for _ in range(given.rounds):
                    for library, best in rates.items():
                        rates[library] = best_rate(works[library][kind], given.seconds, best, clock)
                others = max(rate for library, rate in rates.items() if library != "ludus")
                cells = "".join(f"{rates[lib]:>14,.0f}" if lib in rates else f"{'-':>14}" for lib in LIBRARIES)
                print(
                    f"{', '.join(names.values()):<66}{states:>7}  {kind:<6}{cells}{rates['ludus'] / others:>7.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
