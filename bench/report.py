"""What a bot's report costs, on the wall and of CPU: its games, the engine's judgement of them, the PDF; its pages.

The bot is the example of Chain Reaction's course, in the sandbox, against its four named opponents. One worker, so that
figures of different machines compare; give another number of games a pairing as the first argument.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from ludus.reports import make_pdf
from ludus.reports.bot import BotReportOptions, bot_report

EXAMPLE = Path(__file__).parents[1] / "examples" / "chain_reaction" / "106062130"


def now() -> tuple[float, float]:
    """Return the time on the wall, and the CPU time of this process and of those that it has ended."""
    used = os.times()
    return time.monotonic(), used.user + used.system + used.children_user + used.children_system


def main(games: int) -> None:
    """Make a report twice: all of it, and again when its games are known."""
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / "report.pdf"
        options = BotReportOptions(str(EXAMPLE), "chain-reaction", games=games, ledger=f"{made}/games.db", jobs=1)
        marks = [now()]
        bot_report(options)
        marks.append(now())
        report = bot_report(options)
        marks.append(now())
        make_pdf(report, out)
        marks.append(now())
        pages = max(int(count) for count in re.findall(rb"/Count (\d+)", out.read_bytes()))
        played = sum(line["games"] for line in report.data["standings"]) // 2
        moves = report.data["review"]["total"]["moves"]
        print(
            f"games {played}, of its own moves judged {moves}, pages {pages}, PDF {out.stat().st_size / 1024:.0f} KiB"
        )
        for what, (before, after) in zip(
            ("gathering, games played", "gathering, games known", "printing"), pairwise(marks), strict=True
        ):
            print(f"{what:<26}{after[0] - before[0]:8.2f} s, of CPU {after[1] - before[1]:8.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
