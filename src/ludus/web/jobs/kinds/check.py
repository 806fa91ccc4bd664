"""The check of a version of a bot: built and played in the sandbox, as `ludus check` does, and written down.

Ends early where enough is known: after a few faults, or when a slow bot has had its time.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from ludus.bots.build import build
from ludus.check import WARNING, CheckReport, Finding, check
from ludus.messages import Message
from ludus.rating.challenge_ladder import CLOCK
from ludus.store.bots import CHECKING, FAILED, PASSED, BotStore
from ludus.web.bots.submissions import kept_bot
from ludus.web.jobs.kinds import Desk, kind

MOST_FAULTS = 3
MOST_SECONDS = 600.0
LONGEST_LOG = 20_000


class Enough(Exception):  # noqa: N818 - no failure
    """There is no need to go on."""


@kind("check", seconds=900, urgent=True)
def check_version(
    desk: Desk, bot: int, version: int, source: str = "./bot", protocol: str | None = None
) -> dict[str, Any]:
    """Check a version, and give what was found.

    Its owner has it at the path `source`, and has said the protocol where it is given.
    """
    with contextlib.closing(BotStore(desk.database)) as store:
        store.change_version(bot, version, state=CHECKING)
        made = kept_bot(store, bot, version)
        submitted = store.find(bot)
        assert submitted is not None
        began, found = time.monotonic(), list[CheckReport]()

        def seen(report: CheckReport, finding: Finding) -> None:
            found[:] = [report]
            desk.tell(
                {
                    "findings": len(report.findings),
                    "faults": _faults(report),
                    "text": finding.text,
                    "message": finding.message.json,
                }
            )
            if _faults(report) >= MOST_FAULTS:
                raise Enough
            if time.monotonic() - began > MOST_SECONDS:
                minutes = f"{MOST_SECONDS / 60:.0f}"
                report.findings.append(
                    Finding(WARNING, Message("check.out_of_time", minutes=minutes, games=len(report.games)))
                )
                raise Enough

        with contextlib.suppress(Enough):
            check(made, source, submitted.game, clock=CLOCK, protocol=protocol, seen=seen)
        report = found[0]
        document = report.document()
        for finding in document["findings"]:
            finding["log"] = finding["log"].replace("\0", "")[:LONGEST_LOG]
        log = next((one["log"] for one in document["findings"] if one["log"]), "")
        if not log and report.passed:
            log = build(made).log
        store.change_version(bot, version, state=PASSED if report.passed else FAILED, report=document, log=log)
        return {"passed": report.passed}


def _faults(report: CheckReport) -> int:
    return report.verdict.problems
