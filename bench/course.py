"""How long a whole course takes: quick submissions through nthu-chain-reaction, then again after one has changed.

python bench/course.py                              40 students, all rules as in the preset
python bench/course.py 200 --swiss                  a Swiss tournament instead of all against all, shorter matches
python bench/course.py 200 --swiss --cluster local:2      the same on a cluster of two workers
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import tempfile
import time
from pathlib import Path

from ludus.courses import PRESETS, Course, parse_course
from ludus.courses.grade import grade
from ludus.courses.output import write_all
from ludus.courses.submissions import find_submissions
from ludus.files import read_text
from ludus.tournament.pools import open_pool

BOT = """
class Student {{
    int x = 0, y = 0;
public:
    void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor) {{
        int best = -1000;
        for (int i = 0; i < 30; i++) {{
            int a = (i * {step} + {shift}) % 30, r = a / 6, c = a % 6;
            if (color[r][c] != White && color[r][c] != inputColor) continue;
            int value = {weight} * Record[r][c] - Max[r][c];
            if (value > best) {{ best = value; x = r; y = c; }}
        }}
    }}
    int getX() {{ return x; }}
    int getY() {{ return y; }}
}};
"""
STEPS = (1, 7, 11, 13, 17, 19, 23, 29)


def write(folder: Path, number: int, shift: int) -> None:
    """Write a student's class: each has an order of cells and a taste of its own."""
    text = BOT.format(step=STEPS[number % len(STEPS)], shift=shift, weight=number % 5)
    (folder / f"{106000000 + number}.cpp").write_text(text)


def course(*, swiss: bool) -> Course:
    """Return the preset, or the preset with few games a student."""
    text = read_text(PRESETS / "nthu-chain-reaction.toml")
    if swiss:
        text = text.replace('format = "round-robin"', 'format = "swiss"').replace('options = { rank_by = "wins" }', "")
        text = re.sub(r"^games = 20", "games = 4", text, flags=re.MULTILINE)
    return parse_course(text, "nthu-chain-reaction.toml")


def timed(given: Course, submissions: Path, out: Path, cluster: str | None) -> tuple[float, float, int, int]:
    """Grade; give the seconds until the grades are known and those to write all down, all games, and those played."""
    began = time.monotonic()
    pool = open_pool(cluster)
    grades = grade(given, find_submissions(submissions), out, pool)
    jobs = pool.size
    pool.close()
    known = time.monotonic()
    write_all(grades, out, jobs=jobs)
    return known - began, time.monotonic() - known, grades.games, grades.played


def main() -> None:
    """Print a line for each time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=40)
    parser.add_argument("--swiss", action="store_true")
    parser.add_argument("--cluster")
    asked = parser.parse_args()
    count, given = asked.count, course(swiss=asked.swiss)
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUDUS_CACHE"] = f"{home}/cache"
        submissions, out = Path(home, "submissions"), Path(home, "out")
        submissions.mkdir()
        for number in range(count):
            write(submissions, number, number)
        first, writing, games, played = timed(given, submissions, out, asked.cluster)
        speed = played / first
        print(f"{count} submissions: {first:.1f} s, {games} games, {played} played, {speed:.1f} games/s", flush=True)
        print(f"writing pages and {count + 1} PDF: {writing:.1f} s, {writing / count:.2f} s a submission", flush=True)
        peaks = [resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(f"memory: {peaks[0]} MB here, at most {peaks[1]} MB in a process of ours or of a bot", flush=True)
        whole = first + writing
        write(submissions, 0, 17)
        for what in ("one has", "nothing has"):
            again, writing, _, played = timed(given, submissions, out, asked.cluster)
            again += writing
            print(f"after {what} changed: {again:.1f} s ({again / whole:.1%}), {played} games played", flush=True)


if __name__ == "__main__":
    main()
