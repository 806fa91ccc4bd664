"""The check of a version of a bot: it is built and played in the sandbox, as `ludus check` does, and the report stored.

Ends early after a few problems, or when a slow bot has used up its time.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from ludus.bots.build import build
from ludus.check import WARNING, CheckReport, Finding, check, each_stored
from ludus.messages import Message
from ludus.rating.challenge_ladder import CLOCK
from ludus.store.bots import CHECKING, FAILED, PASSED, BotStore
from ludus.web.bots.submissions import stored_bot
from ludus.web.jobs.kinds import JobContext, job_kind

MOST_FAULTS = 3
MOST_SECONDS = 600.0
LONGEST_LOG = 20_000


class Enough(Exception):  # noqa: N818 - not a failure
    """Ends a check early."""


@job_kind("check", seconds=900, urgent=True)
def check_version(
    context: JobContext, bot: int, version: int, source: str = "./FILE", protocol: str | None = None
) -> dict[str, Any]:
    """Check a version, and store the report.

    `source` is its path on the owner's computer and `protocol` what the owner chose: both for commands in the report.
    """
    with contextlib.closing(BotStore(context.database)) as store:
        store.change_version(bot, version, state=CHECKING)
        built = stored_bot(store, bot, version)
        submitted = store.find(bot)
        assert submitted is not None
        began, reports = time.monotonic(), list[CheckReport]()

        def on_finding(report: CheckReport, finding: Finding) -> None:
            reports[:] = [report]
            context.report(
                {
                    "findings": len(report.findings),
                    "faults": report.verdict.problems,
                    "text": finding.text,
                    "message": finding.message.json,
                }
            )
            if max(report.verdict.problems, len(report.faults)) >= MOST_FAULTS:
                raise Enough
            if time.monotonic() - began > MOST_SECONDS:
                minutes = f"{MOST_SECONDS / 60:.0f}"
                message = Message("check.out_of_time", minutes=minutes, games=len(report.games))
                report.findings.append(Finding(verdict=WARNING, message=message))
                raise Enough

        with contextlib.suppress(Enough):
            check(built, source, submitted.game, clock=CLOCK, protocol=protocol, seen=on_finding)
        report = reports[0]
        document = report.document()
        for finding in each_stored(document["findings"]):
            finding["log"] = finding["log"].replace("\0", "")[:LONGEST_LOG]
        log = next((one["log"] for one in document["findings"] if one["log"]), "")
        if not log and report.passed:
            log = build(built).log
        store.change_version(bot, version, state=PASSED if report.passed else FAILED, report=document, log=log)
        return {"passed": report.passed}
