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

1. Edit `course.toml`; `docs/courses.md` of Ludus explains every key.
2. Put the submissions into `submissions/`: a zip, a folder or a source file for each student.
3. Run `ludus course grade course.toml submissions --out results`, and open `results/index.html`.

Run the same command again after any change: it plays only what has changed. A student can try a bot with
`ludus course try course.toml MYBOT`.

| table | columns | says |
| --- | --- | --- |
| `roster.csv` | id, name, team, email | who takes part; without it, everyone who submits |
| `extensions.csv` | id, until | who has more time than `[deadline]` in `course.toml` gives |
| `times.csv` | id, at | when a submission came, if the download does not say it |
| `late.csv` | id, days, rule | how many days late someone is; `rule` can be empty if the course has one deadline |
| `parts.csv` | id, percent, reason | the part of the team's points that a member gets |
| `entered.csv` | id, rule, points, reason | points that you give by hand; the rules for this are: {entered} |
| `programs.csv` | id, file | which file is the program, if Ludus asks for it |

- `--only ID --reason "..."` plays all games of one student again.
- `--override ID RULE POINTS --reason "..."` sets points by hand; `--withdraw-override ID RULE` undoes it.
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
