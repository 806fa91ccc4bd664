"""A small AlphaZero: a network learns a game by playing itself, and exact values say how well, move by move.

    python examples/learning/learner.py cantris          # Cantris 6x3
    python examples/learning/learner.py connect-four

Each generation plays games against itself by a tree search that the network guides, learns from them what the search
chose and how the games went on, and is then judged: in positions that it never learns from, how often does it choose a
move that the solver proves to be best, and what do its other moves lose? It runs on one core, in minutes. The notebook
beside this file goes through the parts one by one.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import ludus
from ludus.drawing.plots import Series, lines


@dataclass
class Settings:
    """What is learned, and how long."""

    game: str = "connect-four"
    options: dict[str, int | str] = field(default_factory=dict)
    scale: float = 1.0
    """How many points a value of 1 stands for; 1 in games that are only won or lost."""
    generations: int = 20
    games: int = 64
    """Games that one generation plays, all at once."""
    opening: int = 0
    """Games begin after up to this number of random moves, so that it sees more than its own style of play."""
    simulations: int = 32
    """Leaves that the search looks at before each move."""
    steps: int = 60
    """Batches that are learned in one generation."""
    batch: int = 256
    memory: int = 20_000
    """Positions that are remembered."""
    channels: int = 32
    rate: float = 2e-3
    exam: int = 200
    """Positions of the exam."""
    exam_plies: tuple[int, int] = (0, 10)
    """After how many random moves a position of the exam is taken."""
    exam_nodes: int = 200_000
    seed: int = 1

    def rules(self) -> ludus.Game:
        return ludus.game(self.game, **self.options)


SETTINGS = {
    "cantris": Settings("cantris", {"rows": 6, "cols": 3}, scale=20.0),
    "connect-four": Settings("connect-four", opening=24, exam_plies=(16, 28), exam_nodes=100_000),
}


# The network: planes in; a number for each action and a value out.


class Network(nn.Module):
    """Three convolutions, then what to play and what to expect."""

    def __init__(self, game: ludus.Game, channels: int) -> None:
        super().__init__()
        planes, rows, cols = game.plane_shape
        self.body = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.policy = nn.Linear(channels * rows * cols, len(game.actions))
        self.value = nn.Sequential(nn.Linear(channels * rows * cols, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        body = self.body(planes)
        return self.policy(body), self.value(body)[:, 0]


def think(network: Network, states: list[ludus.State]) -> tuple[np.ndarray, np.ndarray]:
    """Return what the network says of states: the likelihood of each legal action, and the value."""
    planes = torch.from_numpy(np.stack([state.planes() for state in states]))
    with torch.inference_mode():
        scores, values = network(planes)
    scores = scores.numpy()
    masked = np.full_like(scores, -np.inf)
    for row, state in enumerate(states):
        legal = list(state.legal_actions)
        masked[row, legal] = scores[row, legal]
    likely = np.exp(masked - masked.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True), values.numpy()


# The search: a tree for each game, all of them grown together so that the network sees many leaves at once.


class Node:
    """A state in a tree, with what was tried from it."""

    def __init__(self, state: ludus.State) -> None:
        self.state = state
        self.actions = np.array(state.legal_actions)
        self.children: list[Node | None] = [None] * len(self.actions)
        self.priors = np.zeros(len(self.actions))
        self.visits = np.zeros(len(self.actions))
        self.totals = np.zeros(len(self.actions))
        self.known = False

    def best(self) -> int:
        """Return the place of the action to try next: good so far, or likely and seldom tried."""
        mean = self.totals / np.maximum(self.visits, 1)
        tried = self.visits.sum()
        mean = np.where(self.visits > 0, mean, self.totals.sum() / max(tried, 1))
        return int(np.argmax(mean + 1.5 * self.priors * np.sqrt(tried + 1) / (1 + self.visits)))


def gain(before: ludus.State, after: ludus.State, scale: float) -> float:
    """Return what a move gives the mover at once: points, or at the end of other games the outcome."""
    if before.scores is not None:
        mine, theirs = before.side, 1 - before.side
        return (after.scores[mine] - before.scores[mine] - after.scores[theirs] + before.scores[theirs]) / scale
    if after.outcome is None or after.outcome.winner is None:
        return 0.0
    return 1.0 if after.outcome.winner == before.side else -1.0


def search(
    network: Network, roots: list[Node], simulations: int, scale: float, noise: np.random.Generator | None = None
) -> None:
    """Look at that many leaves from each root; `noise` lets games of self-play differ."""
    for number in range(simulations + 1):
        leaves, paths = [], []
        for root in roots:
            node, path = root, []
            while node.known and len(node.actions):
                place = node.best()
                path.append((node, place))
                if node.children[place] is None:
                    node.children[place] = Node(node.state.play_action(int(node.actions[place])))
                node = node.children[place]
            leaves.append(node)
            paths.append(path)
        unknown = [node for node in leaves if not node.known and len(node.actions)]
        values = dict.fromkeys(leaves, 0.0)  # after the end there is nothing left to win
        if unknown:
            likely, expected = think(network, [node.state for node in unknown])
            for node, row, value in zip(unknown, likely, expected, strict=True):
                node.priors, node.known = row[node.actions], True
                values[node] = float(value)
                if noise is not None and number == 0:
                    mixed = noise.dirichlet(np.full(len(node.actions), 10 / len(node.actions)))
                    node.priors = 0.75 * node.priors + 0.25 * mixed
        for leaf, path in zip(leaves, paths, strict=True):
            value = values[leaf]
            for node, place in reversed(path):
                child = node.children[place]
                value = value if child.state.side == node.state.side else -value
                value += gain(node.state, child.state, scale)
                node.visits[place] += 1
                node.totals[place] += value


# Self-play and learning.


def opened(state: ludus.State, most: int, chooser: np.random.Generator) -> ludus.State:
    """Return the state after at most that many random moves, none of which ends the game."""
    for _ in range(chooser.integers(most + 1)):
        after = state.play_action(int(chooser.choice(state.legal_actions)))
        if after.outcome is not None:
            break
        state = after
    return state


def self_play(network: Network, settings: Settings, generation: int) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Play games, all at once; return planes, how often each action was tried, and what was still won from there."""
    rules, chooser = settings.rules(), np.random.default_rng((settings.seed, generation))
    first = settings.seed + generation * settings.games
    games = [[opened(rules.initial(first + number), settings.opening, chooser)] for number in range(settings.games)]
    tried: list[list[np.ndarray]] = [[] for _ in games]
    while running := [number for number, states in enumerate(games) if states[-1].outcome is None]:
        roots = [Node(games[number][-1]) for number in running]
        search(network, roots, settings.simulations, settings.scale, chooser)
        for number, root in zip(running, roots, strict=True):
            share = root.visits / root.visits.sum()
            policy = np.zeros(len(rules.actions), np.float32)
            policy[root.actions] = share
            tried[number].append(policy)
            bold = len(games[number]) <= 8  # play is varied at first, then as good as it can be
            place = chooser.choice(len(share), p=share) if bold else int(share.argmax())
            games[number].append(root.state.play_action(int(root.actions[place])))
    lessons = []
    for states, policies in zip(games, tried, strict=True):
        rest = 0.0
        for before, after, policy in reversed([*zip(states, states[1:], policies, strict=False)]):
            rest = gain(before, after, settings.scale) + (rest if after.side == before.side else -rest)
            for symmetry in rules.symmetries:
                image = symmetry.state(before)
                lessons.append((image.planes(), symmetry.policy(before, policy), max(-1.0, min(1.0, rest))))
    return lessons


def learn(network: Network, optimiser: torch.optim.Optimizer, memory: deque, settings: Settings, chooser) -> float:
    """Learn some batches of what is remembered; return the mean loss."""
    losses = []
    for _ in range(settings.steps):
        planes, policies, values = zip(*chooser.choices(memory, k=settings.batch), strict=True)
        scores, expected = network(torch.from_numpy(np.stack(planes)))
        loss = functional.cross_entropy(scores, torch.from_numpy(np.stack(policies)))
        loss = loss + functional.mse_loss(expected, torch.tensor(values, dtype=torch.float32))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return sum(losses) / len(losses)


# The exam: positions whose every move has a proven value.


@dataclass
class Exam:
    """Positions with what each move in them loses against the best one; infinite where it is not legal."""

    states: list[ludus.State]
    losses: np.ndarray

    def grade(self, actions: np.ndarray) -> tuple[float, float]:
        """Return the share of the best moves among chosen ones, and what a choice loses on average."""
        lost = self.losses[np.arange(len(actions)), actions]
        return float((lost == 0).mean()), float(lost.mean())

    def by_chance(self) -> tuple[float, float]:
        """Return the same for a player that chooses at random."""
        legal = np.isfinite(self.losses)
        best, lost = (self.losses == 0) & legal, np.where(legal, self.losses, 0)
        return float((best.sum(1) / legal.sum(1)).mean()), float((lost.sum(1) / legal.sum(1)).mean())


def make_exam(settings: Settings) -> Exam:
    """Return positions of random games in which the moves differ, and in which every move is proven."""
    rules, chooser = settings.rules(), random.Random(settings.seed)
    states: dict[ludus.State, None] = {}
    losses: list[np.ndarray] = []
    while len(states) < settings.exam:
        tried = []
        while len(tried) < 64:
            state = rules.initial(10**9 + chooser.randrange(10**9))  # boards of no game that it plays
            for _ in range(chooser.randint(*settings.exam_plies)):
                if state.outcome is None:
                    state = state.play(chooser.choice(state.legal_moves))
            if state.outcome is None and len(state.legal_moves) > 1 and state not in states:
                tried.append(state)
        found = ludus.evaluate(tried, nodes=settings.exam_nodes, every_move=True)
        for state, values, exact in zip(tried, found.action_values, found.action_exact, strict=True):
            legal = list(state.legal_actions)
            differ = exact[legal].all() and len(set(values[legal])) > 1
            if differ and len(states) < settings.exam and state not in states:
                states[state] = None
                losses.append(np.where(np.isnan(values), np.inf, np.nanmax(values) - values))
    return Exam(list(states), np.stack(losses))


def judge(network: Network, exam: Exam, settings: Settings) -> tuple[float, float, float, float]:
    """Return the share of best moves and the mean loss: of the network alone, and of its search."""
    alone = think(network, exam.states)[0].argmax(axis=1)
    roots = [Node(state) for state in exam.states]
    search(network, roots, settings.simulations, settings.scale)
    searched = np.array([root.actions[root.visits.argmax()] for root in roots])
    return (*exam.grade(alone), *exam.grade(searched))


# All of it.


class Plot:
    """An SVG that a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass
class Row:
    """How well a generation plays, and what it took until then."""

    generation: int
    seconds: float
    loss: float
    best_alone: float
    lost_alone: float
    best_searched: float
    lost_searched: float


def run(settings: Settings, say=print) -> tuple[Network, list[Row], Exam]:
    """Learn; `say` is given a line for each generation."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    network = Network(settings.rules(), settings.channels)
    optimiser = torch.optim.AdamW(network.parameters(), settings.rate, weight_decay=1e-4)
    exam = make_exam(settings)
    chance = exam.by_chance()
    say(f"exam: {len(exam.states)} positions; at random {chance[0]:.0%} best moves, {chance[1]:.2f} lost per move")
    memory: deque = deque(maxlen=settings.memory)
    chooser, rows, began = random.Random(settings.seed), [], time.process_time()
    for generation in range(settings.generations + 1):
        loss = 0.0
        if generation:  # the first row is of a network that knows nothing
            memory.extend(self_play(network, settings, generation))
            loss = learn(network, optimiser, memory, settings, chooser)
        row = Row(generation, time.process_time() - began, loss, *judge(network, exam, settings))
        rows.append(row)
        say(
            f"generation {generation:>3}  {row.seconds:>6.0f} s  best moves: alone {row.best_alone:.0%}, "
            f"searching {row.best_searched:.0%}  lost per move: {row.lost_alone:.2f}, {row.lost_searched:.2f}"
        )
    return network, rows, exam


def plot(settings: Settings, rows: list[Row], exam: Exam) -> Plot:
    """Draw how the share of best moves grew; the level line is what a player gets that chooses at random."""
    searched = Series("network and search", [(row.generation, 100 * row.best_searched) for row in rows], 0)
    alone = Series("network alone", [(row.generation, 100 * row.best_alone) for row in rows], 1)
    title = f"{settings.game}: moves that the solver proves to be best"
    up, chance = (0.0, 100.0), 100 * exam.by_chance()[0]
    return Plot(lines([searched, alone], "generation", "% of moves", up=up, level=chance, title=title))


def main() -> None:
    """Learn a game from the command line; write the table and the plot."""
    parser = argparse.ArgumentParser(description="Learn a game by self-play, judged against exact values.")
    parser.add_argument("game", choices=SETTINGS)
    parser.add_argument("--generations", type=int, help="how many generations to learn")
    parser.add_argument("--out", type=Path, default=Path(), help="a folder for the table and the plot")
    given = parser.parse_args()
    settings = SETTINGS[given.game]
    settings.generations = given.generations or settings.generations
    _, rows, exam = run(settings, lambda line: print(line, flush=True))
    given.out.mkdir(parents=True, exist_ok=True)
    with (given.out / f"{given.game}.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(vars(rows[0]))
        table.writerows([f"{value:.4g}" for value in vars(row).values()] for row in rows)
    (given.out / f"{given.game}.svg").write_text(plot(settings, rows, exam).svg)


if __name__ == "__main__":
    main()
