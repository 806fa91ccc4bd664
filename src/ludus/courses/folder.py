"""The folder of a course that an instructor edits: the preset as course.toml, and empty tables beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.errors import UserError
from ludus.files import read_text, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from ludus.courses import Course

README = """\
# {title}

1. Edit `course.toml`; every key has a comment.
2. Put what students hand in into `submissions/`: a zip, a folder or a source file each.
3. `ludus course grade course.toml submissions --out results`, and open `results/index.html`.

Run it again whenever something changes: only what changed is built and played again.

- `roster.csv` (id, name, team, email): who takes part. Without it, those who hand in something.
- `[deadline]` in `course.toml` says when submissions are due; `extensions.csv` (id, until): who has more time.
- `times.csv` (id, at): when something came, where the download does not say it.
- `late.csv` (id, days, rule): who was late, where the deadline does not say it. The rule may stay empty where a course
  has one deadline.
- `parts.csv` (id, percent, reason): a member's part of the team's points.
- `entered.csv` (id, rule, points, reason): points that people give. Rules to enter here: {entered}.
- `programs.csv` (id, file): which file is the program, where a student's line asks for it.
- The same command with `--only ID --reason "..."` plays one student's games again.
- With `--override ID RULE POINTS --reason "..."` it sets points by hand; `--withdraw-override ID RULE --reason "..."`
  takes that back.
- A student's own dry run: `ludus course try course.toml MYBOT`.
"""


def make_folder(course: Course, folder: Path) -> None:
    """Make a course folder; one that has a course already is refused."""
    if (folder / "course.toml").exists():
        raise UserError("courses.folder_exists", file=str(folder / "course.toml"))
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    entered = [rule.name for rule in course.rules if rule.kind == "entered"]
    readme = README.format(title=course.title, entered=", ".join(entered) or "none")
    tables = {"late.csv": "id,days,rule\n", "entered.csv": "id,rule,points,reason\n", "programs.csv": "id,file\n"}
    for name, text in {"README.md": readme, **tables}.items():
        if not (folder / name).exists():
            write_whole(folder / name, text)
    assert course.path is not None
    write_whole(folder / "course.toml", f'name = "{course.name}"\n{read_text(course.path)}')
