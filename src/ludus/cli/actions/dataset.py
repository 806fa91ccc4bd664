"""What `ludus dataset` does: labels positions, tells the progress on standard error, writes the file and its card."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.arguments import make_game
from ludus.cli.output import echo, echo_json, rendered
from ludus.files import write_whole
from ludus.messages import Message
from ludus.search.dataset import DatasetPlan, card_text, write_dataset


def dataset(
    *,
    game: str,
    options: tuple[str, ...],
    positions: int,
    nodes: int,
    seed: int,
    objective: str,
    planes: bool,
    every_move: bool,
    threads: int | None,
    out: str,
    as_json: bool,
) -> None:
    """Write the data set."""
    plan = DatasetPlan(make_game(game, options), positions, nodes, seed, objective, planes, every_move)
    path = Path(out)

    def progress(done: int, proven: int) -> None:
        figures = {"done": f"{done:,}", "positions": f"{positions:,}", "share": f"{proven / done:.0%}"}
        echo(Message("cli.dataset.progress", **figures), err=True)

    card = write_dataset(plan, path, threads=threads, progress=progress)
    title, *rest = [rendered(message) for message in card_text(card)]
    write_whole(path.with_name(f"{path.name}.md"), "\n\n".join([f"# {title}", *rest]) + "\n")
    if as_json:
        echo_json(card)
    else:
        echo(Message("cli.dataset.written", file=str(path), positions=f"{positions:,}", proven=f"{card['proven']:,}"))
