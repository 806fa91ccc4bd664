"""The routes of a course's common settings: a form of what most instructors change, before the file itself."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool

from ludus.web.accounts.visitors import Instructor
from ludus.web.courses.basics import Basics, with_basics
from ludus.web.courses.files import check, course_of, texts_of
from ludus.web.courses.routes import Changed, Code, CourseDep
from ludus.web.http.reading import in_worker
from ludus.web.http.routing import Router
from ludus.web.services import ServicesDep

router = Router()


class CommonSettings(Basics):
    """The common settings of a course, those that are not in its file included."""

    code: Code = ""
    standings: bool = False
    """Whether students see the standings by code names, once the grades are released."""


@router.post("/courses/{course}/basics")
async def change_basics(services: ServicesDep, who: Instructor, course: CourseDep, wanted: CommonSettings) -> Changed:
    """Change the common settings; the course file keeps its comments and everything else."""
    wanted.title = wanted.title.strip()
    toml = await in_worker(services.readers, who.owner, with_basics, course.toml, course.deadline, wanted)
    deadline = course.deadline if wanted.deadline.at and not course_of(toml).deadline.at else None
    await in_worker(services.readers, who.owner, check, toml, deadline, texts_of(course))
    values = {"title": wanted.title, "code": wanted.code.strip(), "standings": wanted.standings, "toml": toml}
    values["deadline"] = deadline  # once the file has one, that counts
    await run_in_threadpool(services.courses.change, course.id, **values)
    changed = [name for name, value in values.items() if course.values[name] != value]
    await run_in_threadpool(services.note, who, "course.settings", course=course.id, changed=changed)
    return Changed(id=course.id)
