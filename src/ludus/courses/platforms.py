"""The bulk downloads of Moodle, Canvas and Gradescope, as they are: whose each submission is, and when it came.

Names and numbers are read from the names of files and folders, or from Gradescope's submission_metadata.yml. Opens no
submission. Whom a name means, the roster says.

    Moodle      Full Name_1234567_assignsubmission_file/bot.zip, with _ at the end in older ones, or without folders;
                ..._onlinetext beside it for what was typed in; the number is the participant's, or the group's
    Canvas      lastfirst_LATE_12345_67890_bot-1.cpp, LATE only where it is late; the numbers are user and file;
                lastfirst_12345_text.html for what was typed in; anon_CODE for a name where submissions are anonymous
    Gradescope  submission_metadata.yml, and a folder submission_123456 for each

Only Gradescope says when something came. The files of the others have the time of the download; older versions of
Moodle gave them that of the submission.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from ludus.courses.attempts import Attempt
from ludus.courses.deadline import file_time
from ludus.courses.roster import Person
from ludus.courses.submissions import changed_at, find_submissions
from ludus.errors import UserError
from ludus.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

METADATA = "submission_metadata.yml"
LARGEST_METADATA = 64 << 20
MARK = "_assignsubmission_"
TYPED_IN = "onlinetext"
"""What Moodle calls a submission that was typed into its page."""
CANVAS = re.compile(
    r"(?:^|_)(?P<late>LATE_)?(?:(?P<number>\d+)|(?P<code>anon_[A-Za-z0-9]+))_"
    r"(?:\d+_(?P<file>.+)|(?P<typed>(?:text|link)\.html))$"
)
"""What follows the name."""
RESUBMITTED = re.compile(r"(?P<stem>.+)-\d{1,3}(?P<ending>\.[^.-]+)")
"""A file that was handed in again: Canvas numbers it."""
LEAST_DIGITS = 4
"""Of a student's id within a name."""
STREAMED = timedelta(hours=1)
"""Files of a download whose times are all within this long have the time at which it was made."""


class Download(NamedTuple):
    """What a download holds."""

    attempts: list[Attempt]
    notes: list[Message]
    """What the instructor should know of it."""


class _MoodleName(NamedTuple):
    name: str
    number: str
    """Empty for those who are in no group, where groups hand in."""
    kind: str
    file: str
    """Where there are no folders."""


class _CanvasName(NamedTuple):
    name: str
    number: str
    late: bool
    file: str
    plain: str
    """The file's name without the number of a file that was handed in again."""


def collect(where: Path, staging: Path, platform: str | None = None) -> Download:
    """Return what a folder holds where it is the download of a platform, detected by itself unless it is named.

    What has to be renamed to be a program again is copied to the folder `staging`. Nothing where it is no download.
    """
    find_submissions(where)
    name = platform or detect(where)
    if name is None:
        return Download([], [])
    attempts = sorted(PLATFORMS[name](where, staging), key=lambda attempt: attempt.file)
    notes = [Message("courses.no_times", platform="Moodle")] if name == "moodle" and attempts[0].late is False else []
    return Download(attempts, notes)


def detect(where: Path) -> str | None:
    """Return the platform that a folder was downloaded from, or None."""
    if (where / METADATA).is_file():
        return "gradescope"
    names = [path.name for path in where.iterdir() if path.name[0] not in "._"]
    if any(_moodle_name(name) for name in names):
        return "moodle"
    if names and all(_canvas_name(name) for name in names):
        return "canvas"
    return None


def _person(name: str, number: str) -> Person:
    """Return who is meant by a name: with an id in it that is the id; without, only the platform's number is."""
    ids = [word for word in name.split() if sum(map(str.isdecimal, word)) >= LEAST_DIGITS]
    rest = [word for word in name.split() if word not in ids]
    if len(ids) == 1:
        return Person(ids[0], " ".join(rest), number=number)
    return Person(number or name, name, number=number)


def _moodle_name(name: str) -> _MoodleName | None:
    before, mark, after = name.partition(MARK)
    person, _, number = before.rpartition("_")
    if not mark or not before:
        return None
    kind, _, file = after.partition("_")
    return _MoodleName(person, number, kind, file) if number.isdecimal() else _MoodleName(before, "", kind, file)


def _only_file(path: Path) -> Path:
    """Return the only file of a folder, or else the path itself."""
    inside = (
        [one for one in path.iterdir() if one.name[0] not in "._"] if path.is_dir() and not path.is_symlink() else []
    )
    return inside[0] if len(inside) == 1 else path


def moodle(where: Path, staging: Path) -> Iterator[Attempt]:
    """Yield the attempts in a download of Moodle: all files of a participant are one.

    What was typed in counts where nothing else was handed in. Times that are those of the download say nothing: what
    has no time counts as in time.
    """
    by_user: dict[tuple[str, str], list[tuple[Path, _MoodleName]]] = {}
    for path in sorted(path for path in where.iterdir() if path.name[0] not in "._"):
        read = _moodle_name(path.name)
        if read is not None:
            by_user.setdefault((read.name, read.number), []).append((path, read))
        elif path in find_submissions(where):
            raise UserError("courses.not_of_platform", file=str(path), platform="Moodle")
    times = {user: file_time(max(changed_at(path) for path, _ in files)) for user, files in by_user.items()}
    timed = max(times.values()) - min(times.values()) > STREAMED
    for (name, number), files in by_user.items():
        chosen = [one for one in files if one[1].kind != TYPED_IN] or files
        program, read = chosen[0]
        if read.file:  # a download without folders
            program = _staged(staging / f"{name}_{number}", [(path, each.file) for path, each in chosen])
        late = None if timed else False
        yield Attempt(_only_file(program), (_person(name, number),), times[name, number], chosen[0][0].name, late)


def _staged(folder: Path, files: Iterable[tuple[Path, str]]) -> Path:
    """Copy files into a folder under the names that they had; return it, or the only file in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path, name in files:
        shutil.copy2(path, folder / name, follow_symlinks=False)
    return _only_file(folder)


def _canvas_name(name: str) -> _CanvasName | None:
    read = CANVAS.search(name)
    if read is None or not (read.start() or read["code"]):
        return None
    late, number, code, file, typed = read.group("late", "number", "code", "file", "typed")
    again = RESUBMITTED.fullmatch(file or "")
    plain = f"{again['stem']}{again['ending']}" if again else file or typed
    return _CanvasName(name[: read.start()], number or code, late is not None, file or typed, plain)


def canvas(where: Path, staging: Path) -> Iterator[Attempt]:
    """Yield the attempts in a download of Canvas: all files of a user are one, under the names that they had."""
    by_user: dict[tuple[str, str], list[tuple[Path, _CanvasName]]] = {}
    for path in (path for path in sorted(where.iterdir()) if path.name[0] not in "._" and not path.is_dir()):
        read = _canvas_name(path.name)
        if read is None:
            raise UserError("courses.not_of_platform", file=str(path), platform="Canvas")
        by_user.setdefault((read.name, read.number), []).append((path, read))
    for (name, number), files in by_user.items():
        names: dict[str, Path] = {}
        for path, read in files:
            names[read.file if read.plain in names else read.plain] = path
        program = _staged(staging / f"{name}_{number}", [(path, given) for given, path in names.items()])
        at, late = file_time(max(changed_at(path) for path, _ in files)), any(read.late for _, read in files)
        yield Attempt(program, (_person(name, number),), at, files[0][0].name, late)


class _PlainLoader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads YAML without making objects: what has a tag of Ruby's is read as the plain value that it is.

    Keys that merge mappings into another are refused: a few lines of them make mappings of any size.
    """

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave a mapping as it is."""


def _plain(loader: yaml.SafeLoader, _tag: str, node: yaml.Node) -> Any:
    match node:
        case yaml.MappingNode():
            return loader.construct_mapping(node, deep=True)
        case yaml.SequenceNode():
            return loader.construct_sequence(node, deep=True)
    return node.value


_PlainLoader.add_multi_constructor("!ruby/", _plain)


def gradescope(where: Path, _staging: Path) -> Iterator[Attempt]:
    """Yield the attempts in a download of Gradescope; those who handed in together are a team."""
    source = where / METADATA
    for key, entry in _metadata(source).items():
        people = tuple(_submitter(one) for one in entry.get(":submitters") or () if isinstance(one, dict))
        place = Message("courses.entry", source=str(source), entry=str(key))
        if not people or where / str(key) != where / PurePath(str(key)).name:
            raise UserError("courses.no_submitters", place=place)
        yield Attempt(where / str(key), people, _moment(entry.get(":created_at"), place), str(key))


def _moment(value: Any, place: Message) -> datetime:
    """Return the time of a submission, in one of the ways in which Gradescope writes it."""
    value = value.get("utc") if isinstance(value, dict) else value
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = datetime.fromisoformat(value.replace(" UTC", "+00:00"))
    if not isinstance(value, datetime):
        raise UserError("courses.no_created_at", place=place)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def gradescope_attempt(path: Path, source: Path) -> Attempt:
    """Return the one attempt that Gradescope runs an autograder for; `source` is its submission_metadata.json."""
    place = Message("courses.line", source=str(source), line=1)
    try:
        data = json.loads(source.read_bytes())
        users = [user for user in data["users"] if isinstance(user, dict)]
        at = data["created_at"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError("courses.no_yaml", place=place, problem=type(error).__name__) from None
    people = tuple(_submitter({f":{key}": value for key, value in user.items()}) for user in users)
    if not people:
        raise UserError("courses.no_submitters", place=place)
    return Attempt(_only_file(path), people, _moment(at, place), path.name)


def _metadata(source: Path) -> Mapping[Any, Mapping[str, Any]]:
    """Return what Gradescope says of the submissions, by the names of their folders."""
    if not source.is_file():
        raise UserError("courses.no_metadata", path=str(source))
    if source.stat().st_size > LARGEST_METADATA:
        raise UserError("courses.metadata_too_large", path=str(source), megabytes=LARGEST_METADATA >> 20)
    try:
        data = yaml.load(source.read_bytes(), _PlainLoader)  # noqa: S506 - derived from the safe loader
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = Message("courses.line", source=str(source), line=mark.line + 1 if mark else 1)
        problem = getattr(error, "problem", None) or type(error).__name__
        raise UserError("courses.no_yaml", place=place, problem=problem) from None
    if not isinstance(data, dict) or not all(isinstance(entry, dict) for entry in data.values()):
        raise UserError("courses.no_yaml", place=str(source), problem="no mapping of submissions")
    return data


def _submitter(entry: Mapping[str, Any]) -> Person:
    said = {key: str(entry.get(f":{key}") or "").strip() for key in ("sid", "name", "email", "id")}
    id_ = said["sid"] or said["email"].partition("@")[0] or said["name"]
    return Person(id_, said["name"], said["email"], number=said["id"])


PLATFORMS: dict[str, Callable[[Path, Path], Iterator[Attempt]]] = {
    "moodle": moodle,
    "canvas": canvas,
    "gradescope": gradescope,
}
