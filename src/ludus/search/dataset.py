"""Labelled data sets: positions of random games with their values and best moves, as NumPy or Parquet files.

Position i depends on the seed and on i alone, and a search on its limit alone, so that the same settings write the same
file bit by bit, with any number of threads, however often the work was interrupted. What is done is kept in a folder
`FILE.part` until the file is whole. Knows `evaluate`, files and arrays; nothing of a command line.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import random
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludus.errors import UserError
from ludus.files import remove_folder, write_whole
from ludus.game import Game, State, complete
from ludus.messages import Message
from ludus.search.evaluation import evaluate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = Mapping[str, NDArray[Any]]

PIECE = 256
"""Positions that are stored at once: at most these are lost by an interruption."""
FORMATS = (".npz", ".parquet")
FORMAT_VERSION = 1


class DatasetPlan(NamedTuple):
    """What a data set holds: everything that its content depends on."""

    game: Game
    positions: int
    nodes: int
    seed: int = 0
    objective: str = "margin"
    planes: bool = False
    every_move: bool = False

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "format": FORMAT_VERSION,
            "game": self.game.name,
            "options": dict(self.game.options),
            "positions": self.positions,
            "nodes": self.nodes,
            "seed": self.seed,
            "objective": self.objective,
            "planes": self.planes,
            "every_move": self.every_move,
        }

    @property
    def command(self) -> str:
        """Return the command that makes it, without the name of the file."""
        words = ["ludus", "dataset", self.game.name]
        words += [f"--option {name}={value}" for name, value in self.game.given.items()]
        words += [f"--positions {self.positions}", f"--nodes {self.nodes}", f"--seed {self.seed}"]
        words += [f"--objective {self.objective}"] if self.objective != "margin" else []
        words += ["--planes"] if self.planes else []
        return " ".join([*words, *(["--every-move"] if self.every_move else [])])


def position(game: Game, seed: int, number: int) -> State:
    """Return an open position of a random game: each ply of the game is as likely as any other."""
    chooser = random.Random(f"{seed} {number}")
    state = complete(game.initial(chooser.getrandbits(64)))
    states = [state]
    while state.outcome is None:
        state = complete(state.play(chooser.choice(state.legal_moves)))
        states.append(state)
    if len(states) == 1:
        raise UserError("search.dataset_over", game=game.name)
    return states[chooser.randrange(len(states) - 1)]


def write_dataset(
    plan: DatasetPlan, path: Path, *, threads: int | None = None, progress: Callable[[int, int], object] | None = None
) -> dict[str, Any]:
    """Write a data set and its card, from where an interrupted call has stopped; return the card.

    The card is `FILE.json`, with the number of positions, the columns and the hash of the file. `progress` is called
    with the number of positions that are done, and of those that are proven.
    """
    check_format(path)
    if (card := finished_card(plan, path)) is not None:
        return card
    pieces = path.with_name(f"{path.name}.part")
    begin(plan, path, pieces)
    done = proven = 0
    for number, start in enumerate(range(0, plan.positions, PIECE)):
        file = pieces / f"{number:06}.npz"
        if not file.exists():
            write_whole(file, packed(label(plan, start, min(start + PIECE, plan.positions), threads)))
        with np.load(file) as stored:
            done, proven = done + len(stored["exact"]), proven + int(stored["exact"].sum())
        if progress is not None:
            progress(done, proven)
    columns = joined([dict(np.load(file)) for file in sorted(pieces.glob("*.npz"))])
    content = as_parquet(columns) if path.suffix == ".parquet" else packed(columns)
    write_whole(path, content)
    card = plan.document() | {
        "ludus": version("ludus"),
        "file": path.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "proven": proven,
        "columns": {name: {"type": str(array.dtype), "shape": list(array.shape)} for name, array in columns.items()},
        "actions": list(plan.game.actions),
        "plane_names": list(plan.game.plane_names) if plan.planes else [],
        "command": f"{plan.command} --out {path.name}",
    }
    write_whole(card_path(path), json.dumps(card, indent=2) + "\n")
    remove_folder(pieces)
    return card


def card_path(path: Path) -> Path:
    """Return where the card of a data set is."""
    return path.with_name(f"{path.name}.json")


def finished_card(plan: DatasetPlan, path: Path) -> dict[str, Any] | None:
    """Return the card of a data set that is there already, whole and of the same plan."""
    try:
        card: dict[str, Any] = json.loads(card_path(path).read_bytes())
        whole = card["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        return card if whole and card.items() >= plan.document().items() else None
    except (OSError, ValueError, LookupError, AttributeError):
        return None


def check_format(path: Path) -> None:
    """Refuse a file of a kind that is not written, or whose package or folder is missing, before any work."""
    if path.suffix not in FORMATS:
        raise UserError("search.dataset_format", formats=list(FORMATS), name=path.name)
    if not path.parent.is_dir():
        raise UserError("search.dataset_folder", folder=str(path.parent))
    if path.is_dir():
        raise UserError("search.dataset_is_folder", name=str(path))
    if path.suffix == ".parquet":
        importlib.import_module("pyarrow.parquet")


def begin(plan: DatasetPlan, path: Path, pieces: Path) -> None:
    """Make the folder of the pieces, or check that the one that is there belongs to the same plan."""
    plan_file = pieces / "plan.json"
    text = json.dumps(plan.document(), indent=2) + "\n"
    if plan_file.exists() and plan_file.read_text(encoding="utf-8") != text:
        raise UserError("search.dataset_other", folder=str(pieces), name=path.name)
    pieces.mkdir(exist_ok=True)
    write_whole(plan_file, text)


def label(plan: DatasetPlan, start: int, end: int, threads: int | None) -> Columns:
    """Return some rows of a data set."""
    game = plan.game
    states = [position(game, plan.seed, number) for number in range(start, end)]
    found = evaluate(states, nodes=plan.nodes, objective=plan.objective, every_move=plan.every_move, threads=threads)
    legal = np.zeros((len(states), len(game.actions)), np.bool_)
    for row, state in enumerate(states):
        legal[row, list(state.legal_actions)] = True
    columns: dict[str, NDArray[Any]] = {
        "position": np.array([state.text for state in states]),
        "side": np.array([state.side for state in states], np.int8),
        "value": found.values,
        "exact": found.exact,
        "win_chance": found.win_chances,
        "move": np.array([game.actions.text(action) for action in found.actions]),
        "action": found.actions,
        "legal": legal,
    }
    if plan.planes:
        columns["planes"] = np.stack([state.planes() for state in states])
    if found.action_values is not None and found.action_exact is not None:
        columns |= {"best": found.best, "action_value": found.action_values, "action_exact": found.action_exact}
    return columns


def joined(pieces: list[dict[str, NDArray[Any]]]) -> Columns:
    """Return the columns of all pieces, one after the other."""
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def packed(columns: Columns) -> bytes:
    """Return columns as a file of NumPy's; it has no dates in it."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **columns)  # type: ignore[arg-type] # the stub takes the names for options
    return stream.getvalue()


def as_parquet(columns: Columns) -> bytes:
    """Return columns as a Parquet file; a cell of a column of arrays is a list, and the card has its shape."""
    pyarrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    made = {}
    for name, array in columns.items():
        width = int(np.prod(array.shape[1:]))
        flat = pyarrow.array(array.ravel())
        made[name] = flat if array.ndim == 1 else pyarrow.FixedSizeListArray.from_arrays(flat, width)
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(made), stream, compression="zstd")
    return stream.getvalue()


def card_text(card: Mapping[str, Any]) -> list[Message]:
    """Return what a card says to people, a message for each paragraph."""
    options = ", ".join(f"{name}={value}" for name, value in card["options"].items())
    rows = [
        Message("search.card.title", game=card["game"], options=options),
        Message("search.card.what", positions=f"{card['positions']:,}", seed=card["seed"]),
        Message("search.card.values", nodes=f"{card['nodes']:,}", proven=f"{card['proven']:,}"),
        Message(f"search.card.{card['objective']}"),
        Message("search.card.again", command=card["command"]),
        Message("search.card.hash", file=card["file"], hash=card["sha256"]),
    ]
    return [*rows, *(Message(f"search.card.column.{name}", **column) for name, column in card["columns"].items())]
