"""How long a whole course takes: forty quick submissions through nthu-chain-reaction, then again after one has changed.

python bench/course.py            40 students, all rules as in the preset
python bench/course.py 10         fewer
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from ludus.courses import find_course
from ludus.courses.grade import grade
from ludus.courses.output import write_all
from ludus.courses.submissions import find_submissions
from ludus.tournament.pools import local

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


def timed(submissions: Path, out: Path) -> tuple[float, float, int, int]:
    """Grade; give the seconds until the grades are known and those to write all down, all games, and those played."""
    began = time.monotonic()
    pool = local()
    grades = grade(find_course("nthu-chain-reaction"), find_submissions(submissions), out, pool)
    pool.close()
    known = time.monotonic()
    write_all(grades, out, jobs=pool.size)
    return known - began, time.monotonic() - known, grades.games, grades.played


def main() -> None:
    """Print a line for each time."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUDUS_CACHE"] = f"{home}/cache"
        submissions, out = Path(home, "submissions"), Path(home, "out")
        submissions.mkdir()
        for number in range(count):
            write(submissions, number, number)
        first, writing, games, played = timed(submissions, out)
        print(f"{count} submissions: {first:.1f} s, {games} games, {played} played, {played / first:.1f} games/s")
        print(f"writing pages and {count + 1} PDF: {writing:.1f} s, {writing / count:.2f} s a submission", flush=True)
        whole = first + writing
        write(submissions, 0, 17)
        for what in ("one has", "nothing has"):
            again, writing, _, played = timed(submissions, out)
            again += writing
            print(f"after {what} changed: {again:.1f} s ({again / whole:.1%}), {played} games played", flush=True)


if __name__ == "__main__":
    main()
