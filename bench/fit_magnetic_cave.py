"""Fit the network of Magnetic Cave's engine to its own games, and write its weights as network_weights.hpp.

for s in 1 2 3 4 5 6 7 8; do build/module/tune_magnetic_cave_games games.bin 1000 1500 $s; done
python bench/fit_magnetic_cave.py games.bin src/ludus/games/magnetic_cave/network_weights.hpp

The aim is half the outcome, half what the search thought; a tenth of the games is held out and picks the epoch.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

FIELDS = ["mine", "theirs", "chance", "result", "side", "unused", "game", "unused_too"]
SAMPLE = np.dtype(list(zip(FIELDS, ["<u8", "<u8", "<f4", "u1", "u1", "<u2", "<u4", "<u4"], strict=True)))
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
PLACES = [
    [(row + i * down) * 8 + col + i * right for i in range(5)]
    for down, right in STEPS
    for row in range(8)
    for col in range(8)
    if 0 <= row + 4 * down < 8 and 0 <= col + 4 * right < 8
]
INSIDE = np.array([[float(cell in place) for place in PLACES] for cell in range(64)], np.float32)
FILLINGS = sorted(
    {((1 << left) - 1 | ((1 << right) - 1) << 8 - right) for left in range(9) for right in range(9 - left)}
)
SUMS, UNIT, OUT_UNIT, LARGEST = 32, 128, 64, 4.0
EPOCHS, BATCH, RATE, DECAY = 24, 2048, 5e-4, 1e-4

Array = np.ndarray[Any, Any]


def cells(words: Array) -> Array:
    """Unpack sets of bits to a row of 64 truths each."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little") > 0


def beside(sets: Array) -> Array:
    """Find the neighbours in their rows."""
    board = sets.reshape(-1, 8, 8)
    result = np.zeros_like(board)
    result[:, :, 1:] |= board[:, :, :-1]
    result[:, :, :-1] |= board[:, :, 1:]
    return result.reshape(-1, 64)


def facts(mine: Array, theirs: Array, side: Array) -> Any:
    """List what network.hpp lists, in its order, as a sparse matrix."""
    size, bricks = len(mine), mine | theirs
    walls = np.tile(np.isin(np.arange(8), (0, 7)), 8)
    free = ~bricks & (walls | beside(bricks))
    hidden = ~bricks & ~free
    near = hidden & beside(free)
    filled = np.packbits(bricks.reshape(-1, 8, 8), axis=2, bitorder="little")[:, :, 0]
    found = [mine, theirs, (filled[:, :, None] == np.array(FILLINGS)).reshape(size, -1)]
    held = [each.astype(np.float32) @ INSIDE for each in (mine, theirs)]
    for own, other in (held, held[::-1]):
        gaps = (((own == 4) & (other == 0)).astype(np.float32) @ INSIDE.T > 0) & ~bricks
        found += [gaps & near, gaps & hidden & ~near]
    waiting, reached = (each.astype(np.float32) @ INSIDE > 0 for each in (hidden, free))
    for own, other in (held, held[::-1]):
        for lack in (2, 3, 4):
            windows = (own == 5 - lack) & (other == 0)
            found += [windows & ~waiting, windows & waiting & reached, windows & ~reached]
    empty = np.minimum((~bricks).sum(1), 63) // 4
    found += [(side == 0)[:, None], empty[:, None] == np.arange(16)]
    return sp.csr_matrix(np.concatenate(found, 1), dtype=np.float32)


def matrix(samples: Array, turn: int) -> Any:
    """Give the facts of all samples, mirrored if turn is odd, flipped if it is two or more."""
    at = np.arange(64).reshape(8, 8)
    order = at[:: -1 if turn & 2 else 1, :: -1 if turn & 1 else 1].ravel()
    parts = (samples[i : i + 20_000] for i in range(0, len(samples), 20_000))
    return sp.vstack(
        [facts(cells(part["mine"])[:, order], cells(part["theirs"])[:, order], part["side"]) for part in parts]
    ).tocsr()


def forward(weights: list[Array], x: Any) -> tuple[Array, Array]:
    """Give the values, and the sums behind them."""
    rows, bias, out, direct, offset = weights
    sums = x @ rows + bias
    return np.clip(sums, 0, LARGEST) @ out + x @ direct + offset[0], sums


def slopes(weights: list[Array], x: Any, aim: Array) -> list[Array]:
    """Give the gradient of the log loss."""
    values, sums = forward(weights, x)
    error = ((1 / (1 + np.exp(-values)) - aim) / len(aim)).astype(np.float32)
    back = np.outer(error, weights[2]) * ((sums > 0) & (sums < LARGEST))
    result = [x.T @ back, back.sum(0), np.clip(sums, 0, LARGEST).T @ error, x.T @ error, np.array([error.sum()])]
    return [
        slope + DECAY * weight if i in (0, 2, 3) else slope
        for i, (slope, weight) in enumerate(zip(result, weights, strict=True))
    ]


def fit(turned: list[Any], aim: Array, held_out: Any, result: Array) -> list[Array]:
    """Descend by Adam, each epoch on another turn of the board; keep the epoch that the held-out games like best."""
    random, size = np.random.default_rng(0), turned[0].shape[1]
    rows = 0.05 * random.standard_normal((size, SUMS))
    shapes = [rows, np.full(SUMS, 0.2), 0.2 * random.standard_normal(SUMS), np.zeros(size), np.zeros(1)]
    weights = [each.astype(np.float32) for each in shapes]
    mean, square = ([np.zeros_like(each) for each in weights] for _ in range(2))
    least, best, step = np.inf, weights, 0
    for epoch in range(EPOCHS):
        rate, x = RATE * (1.02 - epoch / EPOCHS), turned[epoch % len(turned)]
        for batch in random.permutation(len(aim) // BATCH):
            here, step = slice(batch * BATCH, (batch + 1) * BATCH), step + 1
            for w, m, s, slope in zip(weights, mean, square, slopes(weights, x[here], aim[here]), strict=True):
                m[:] += 0.1 * (slope - m)
                s[:] += 0.001 * (slope * slope - s)
                w[:] -= rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step) * m / (np.sqrt(s) + 1e-8)
        values = forward(weights, held_out)[0]
        loss = float(np.mean(np.logaddexp(0, values) - result * values))
        print(f"epoch {epoch}: log loss of held-out games {loss:.4f}", flush=True)
        if loss < least:
            least, best = loss, [each.copy() for each in weights]
    return best


def header(weights: list[Array]) -> str:
    """Write the weights as C++: a character for each of the many, numbers for the few."""
    rows, bias, out, direct, offset = weights
    table = np.rint(UNIT * np.concatenate([rows, direct[:, None]], 1)).astype(int)
    text = [chr(ord("A") + value).replace("\\", "\\\\").replace("?", "\\?") for value in np.clip(table, -30, 60).flat]
    lines = ["".join(text[i : i + 99]) for i in range(0, len(text), 99)]
    numbers = [", ".join(str(round(unit * float(w))) for w in each) for unit, each in ((UNIT, bias), (OUT_UNIT, out))]
    return (
        f"""\
// Magnetic Cave: the weights of network.hpp, made by bench/fit_magnetic_cave.py (its head has the command); not edited.
// A row for each fact: 32 weights and the direct one, each a character, `network_zero` standing for 0.
#pragma once

#include <array>
#include <cstdint>

namespace ludus::magnetic_cave {{

// clang-format off
inline constexpr char network_zero = 'A';
inline constexpr int network_offset = {round(UNIT * OUT_UNIT * float(offset[0]))};
inline constexpr std::array<std::int16_t, 32> network_bias{{{numbers[0]}}};
inline constexpr std::array<std::int16_t, 32> network_out{{{numbers[1]}}};
inline constexpr char network_rows[] =
"""
        + "\n".join(f'    "{line}"' for line in lines)
        + ";\n// clang-format on\n\n}  // namespace ludus::magnetic_cave\n"
    )


def main() -> None:
    """Read the games, fit, write the header."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path)
    parser.add_argument("header", type=Path)
    asked = parser.parse_args()
    samples = np.fromfile(asked.games, SAMPLE)
    out = samples["game"] % 10 == 0
    taught, held_out = np.random.default_rng(1).permutation(samples[~out]), samples[out]
    aim = (taught["result"] / 4 + taught["chance"] / 2).astype(np.float32)
    turned = [matrix(taught, turn) for turn in range(4)]
    weights = fit(turned, aim, matrix(held_out, 0), held_out["result"] / 2)
    asked.header.write_text(header(weights), encoding="utf-8")


if __name__ == "__main__":
    main()
