"""Coverage-guided fuzzing of every reader, one after the other: `make fuzz SECONDS=600`.

fuzz_parsers.py --seconds 600                   all of them, in so many seconds together
fuzz_parsers.py --inputs 1000000 --only zip     one of them, until it had so many inputs
fuzz_parsers.py --counts                        how many inputs each of them had so far
fuzz_parsers.py --again                         from the beginning

A reader of `test_readers` and `more_readers` is tried with inputs until its time is up or it had enough of them; each
in a process of its own, which is forked from this one, so that the instrumentation is done once. What each of them had,
and the inputs that led to new places, are kept in build/fuzz: the next run goes on there, the fastest readers first. A
crash, a hang or any error but ours is a finding: its input is left in a file, and the status is 1.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import atheris

sys.path.insert(0, str(Path(__file__).parent / "support"))

from more_readers import BYTES, is_ours
from test_readers import READERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HANG_SECONDS = 20
"""An input that takes longer is a finding."""
LONGEST = 4096
"""Bytes of an input."""
FIRST_SECONDS = 2.0
"""How long a reader is tried before its speed is known."""


class Counts:
    """What each reader had so far, in a file that outlives a run."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "counts.json"
        found = json.loads(self._file.read_text()) if self._file.exists() else {}
        self.inputs: dict[str, int] = found.get("inputs", {})
        self.seconds: dict[str, float] = found.get("seconds", {})

    def add(self, name: str, inputs: int, seconds: float) -> None:
        """Count what a reader had, and write it down at once."""
        self.inputs[name] = self.had(name) + inputs
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps({"inputs": self.inputs, "seconds": self.seconds}, indent=1))
        beside.rename(self._file)

    def had(self, name: str) -> int:
        """Return how many inputs a reader had."""
        return self.inputs.get(name, 0)

    def seconds_left(self, name: str, wanted: int) -> float:
        """Return how long a reader needs for the rest at its speed so far; 0 where that is not known."""
        return max(0, wanted - self.had(name)) * self.seconds.get(name, 0.0) / max(1, self.had(name))

    def show(self, chosen: Sequence[str], wanted: int) -> None:
        """Print the counts, the largest first."""
        for name in sorted(chosen, key=self.had, reverse=True):
            sys.stdout.write(f"{self.had(name):>12,} inputs in {self.seconds.get(name, 0.0):6.0f} s  {name}\n")
        done = sum(self.had(name) >= wanted for name in chosen)
        total = sum(map(self.had, chosen))
        sys.stdout.write(f"{total:,} inputs in all; {done} of {len(chosen)} readers had {wanted:,}\n")


def names() -> list[str]:
    """Return the names of all readers."""
    return [*READERS, *BYTES]


def target(name: str) -> tuple[Callable[[bytes], None], Sequence[bytes]]:
    """Return what is called with each input, and what inputs begin with."""
    binary = name in BYTES
    read: Callable[[Any], object] = BYTES[name].read if binary else READERS[name].read
    seeds = BYTES[name].before if binary else [text.encode() for text in READERS[name].before]

    def try_one(data: bytes) -> None:
        try:
            read(data if binary else data.decode("utf-8", "replace"))
        except Exception as error:
            if not is_ours(error):
                raise

    return try_one, seeds


def instrument() -> None:
    """Let our own functions tell what they reach; all that tests import, pytest among it, would take minutes."""
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and str(thing.__module__).startswith("ludus."):
            atheris.instrument_func(thing)


def fuzz(name: str, corpus: Path, seconds: float, inputs: int, findings: Path) -> None:
    """Fuzz one reader, in a process of its own; it does not return."""
    try_one, seeds = target(name)
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed{number}").write_bytes(seed)
    limits = [f"-max_total_time={max(1, round(seconds))}", f"-runs={inputs}", f"-timeout={HANG_SECONDS}"]
    words = [*limits, f"-max_len={LONGEST}", f"-artifact_prefix={findings}/", "-print_final_stats=1", str(corpus)]
    atheris.Setup([sys.argv[0], *words], try_one)
    atheris.Fuzz()


def corpus_of(name: str, findings: Path) -> Path:
    """Return the folder of the inputs that a reader goes on with."""
    return findings / "corpus" / hashlib.sha256(name.encode()).hexdigest()[:16]


def one(name: str, seconds: float, inputs: int, findings: Path) -> tuple[int, float, str]:
    """Fuzz one reader; return how many inputs it had, the CPU time that they took, and what was found."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
        log = Path(scratch, "log")
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            descriptor = os.open(log, os.O_WRONLY | os.O_CREAT)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            os.chdir(scratch)  # a text may name a file: there is none here
            try:
                fuzz(name, corpus_of(name, findings), seconds, inputs, findings)
            except BaseException:  # an error must not unwind into what belongs to the parent
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _, ended, used = os.wait4(child, 0)
        status = os.waitstatus_to_exitcode(ended)
        said = log.read_text(errors="replace")
    counted = re.search(r"number_of_executed_units: (\d+)", said) or re.search(r"#(\d+)\s+\w+[^#]*$", said)
    return int(counted[1]) if counted else 0, used.ru_utime + used.ru_stime, said if status else ""


def main() -> int:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="for all readers together")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="for each reader, if there is time")
    parser.add_argument("--only", nargs="+", metavar="READER", help="the names of readers")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"), help="where inputs and counts are left")
    parser.add_argument("--counts", action="store_true", help="only print what each reader had so far")
    parser.add_argument("--again", action="store_true", help="forget what was counted and found before")
    given = parser.parse_args()
    chosen = given.only or names()
    if given.again:
        shutil.rmtree(given.findings, ignore_errors=True)
    given.findings = given.findings.resolve()
    given.findings.mkdir(parents=True, exist_ok=True)
    counts = Counts(given.findings)
    if given.counts:
        counts.show(chosen, given.inputs)
        return 0
    instrument()
    found = run(chosen, counts, given.seconds, given.inputs, given.findings)
    counts.show(chosen, given.inputs)
    sys.stdout.write(f"findings: {', '.join(found) or 'none'}\n")
    return 1 if found else 0


def run(chosen: Sequence[str], counts: Counts, seconds: float, wanted: int, findings: Path) -> list[str]:
    """Fuzz readers one after the other: new ones for a moment each, then the fastest until they had what they need.

    Return those with a finding, which are left alone until the next run.
    """
    ends, found = time.monotonic() + seconds, list[str]()
    turns = [(name, FIRST_SECONDS) for name in chosen if name not in counts.inputs]
    while (left := ends - time.monotonic()) > 1.0:
        waiting = [name for name in chosen if name in counts.inputs and counts.had(name) < wanted and name not in found]
        if turns:
            name, share = turns.pop(0)
        elif waiting:
            name, share = min(waiting, key=lambda name: counts.seconds_left(name, wanted)), left
        else:
            break
        inputs, took, finding = one(name, min(share, left), wanted - counts.had(name), findings)
        counts.add(name, inputs, took)
        sys.stdout.write(f"{inputs:>10,} inputs in {took:5.0f} s, {counts.had(name):>10,} in all  {name}\n")
        sys.stdout.flush()
        if finding:
            found.append(name)
            sys.stdout.write(finding[-4000:])
    return found


if __name__ == "__main__":
    sys.exit(main())
