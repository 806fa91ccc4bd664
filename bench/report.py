"""What a bot's report costs: seconds for its games, for the engine's judgement of them, and for the PDF; its pages.

The bot is the example of Chain Reaction's course, in the sandbox, against its four named opponents. One worker, so that
figures of different machines compare; give another number of games a pairing as the first argument.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from ludus.reports import make_pdf
from ludus.reports.bot import Wish, bot_report

EXAMPLE = Path(__file__).parents[1] / "examples" / "chain_reaction" / "106062130"


def main(games: int) -> None:
    """Make a report twice: all of it, and again when its games are known."""
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / "report.pdf"
        wish = Wish(str(EXAMPLE), "chain-reaction", games=games, ledger=f"{made}/games.db", jobs=1)
        marks = [time.monotonic()]
        bot_report(wish)
        marks.append(time.monotonic())
        report = bot_report(wish)
        marks.append(time.monotonic())
        make_pdf(report, out)
        marks.append(time.monotonic())
        whole, again, printing = (after - before for before, after in pairwise(marks))
        pages = max(int(count) for count in re.findall(rb"/Count (\d+)", out.read_bytes()))
        played = sum(line["games"] for line in report.data["standings"]) // 2
        moves = report.data["review"]["total"]["moves"]
        print(
            f"games {played}, of its own moves judged {moves}, pages {pages}, PDF {out.stat().st_size / 1024:.0f} KiB"
        )
        print(f"gathering, games played     {whole:7.2f} s")
        print(f"gathering, games known      {again:7.2f} s   {whole / again:.1f} times as fast")
        print(f"printing                    {printing:7.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
