"""What the package promises as a package: its public names, a quick import, honest stubs, imports that go downwards."""

from __future__ import annotations

import ast
import contextlib
import importlib.metadata
import itertools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import ludus
from ludus import _native

SOURCE = Path(ludus.__file__).parent


def test_all_is_exactly_the_public_names() -> None:
    loaded = {name for name, thing in vars(ludus).items() if name[0] != "_" and not isinstance(thing, ModuleType)}
    assert loaded - {"TYPE_CHECKING"} <= set(ludus.__all__)
    assert sorted(ludus.__all__) == ludus.__all__
    for name in ludus.__all__:
        assert getattr(ludus, name).__module__.startswith("ludus.")
    with pytest.raises(AttributeError, match="module 'ludus' has no attribute 'chess'"):
        ludus.chess  # noqa: B018


def test_import_is_quick_since_heavy_parts_load_when_used() -> None:
    program = "import sys; old = {*sys.modules}; import ludus; ludus.game('cantris').initial()"
    program += "; print(*{*sys.modules} - old)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    loaded = set(ran.stdout.split())
    assert "ludus.game" in loaded
    assert not loaded & {"click", "rich", "prompt_toolkit", "dataclasses", "importlib.metadata", "numpy"}
    assert len(loaded) < 100, "each module takes about half a millisecond"


def test_a_worker_of_games_loads_no_database() -> None:
    program = "import sys, ludus.game_task; print({'sqlalchemy', 'alembic', 'pydantic'} & {*sys.modules})"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert ran.stdout == "set()\n"


def test_without_numpy_everything_that_needs_it_says_what_to_install() -> None:
    program = """
import sys
sys.modules["numpy"] = None
import ludus
import importlib
state = ludus.game("cantris").initial()
for use in (
    lambda: ludus.batch("cantris", 2),
    lambda: ludus.evaluate([state]),
    state.planes,
    lambda: importlib.import_module("ludus.envs.pettingzoo"),
    lambda: importlib.import_module("ludus.envs.gymnasium"),
    lambda: importlib.import_module("ludus.envs.openspiel"),
):
    try:
        print("no error:", use())
    except ValueError as error:
        print(error)
print(state.play(state.legal_moves[0]).text)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    *said, text = ran.stdout.splitlines()
    sentence = "this needs the package numpy, which is not installed; install it with: pip install 'ludus[research]'"
    assert said == [sentence] * 6
    assert text.endswith("0")


def closure(names: set[str]) -> set[str]:
    """Return the packages that come with these, by their usual names."""
    found, waiting = set[str](), [Requirement(name) for name in names]
    while waiting:
        wanted = waiting.pop()
        extras = wanted.extras or {""}
        if (key := f"{canonicalize_name(wanted.name)}{sorted(extras)}") in found:
            continue
        found |= {key, canonicalize_name(wanted.name)}
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            for text in importlib.metadata.requires(wanted.name) or ():
                one = Requirement(text)
                if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
                    waiting.append(one)
    return found


USES = {
    "courses": "sys.exit(main('match connect-four random greedy --games 2 --force --ledger m.db'.split()))",
    "cluster": "import ludus.tournament.cluster, distributed.cli.dask_worker",
    "postgres": "import ludus.store, psycopg",
    "research": "sys.exit(main('dataset cantris --positions 2 --nodes 9 --out m.parquet'.split()))",
    "web": "import ludus.web.app; sys.exit(main('account list --database a.db'.split()))",
}


@pytest.mark.parametrize("extra", USES)
def test_an_extra_alone_is_enough_for_what_it_is_for(extra: str, tmp_path: Path) -> None:
    """All other packages are hidden. A worker of a cluster lacked the database's, and a match one for passwords."""
    extras = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names, wanted = set(importlib.metadata.requires("ludus") or ()), [extra]
    names = {name for name in names if "extra ==" not in name}
    while wanted:
        for name in extras[wanted.pop()]:
            inner = re.fullmatch(r"ludus\[(.+)\]", name)
            wanted += inner[1].split(",") if inner else []
            names |= set() if inner else {name}
    there = closure(names) | {"ludus"}
    hidden = [
        module
        for module, packages in importlib.metadata.packages_distributions().items()
        if not there & {canonicalize_name(package) for package in packages} and not module.startswith("_")
    ]
    assert "pytest" in hidden
    program = f"import sys\nsys.modules |= dict.fromkeys({hidden})\nfrom ludus.cli import main\n{USES[extra]}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_the_stub_names_what_the_module_has() -> None:
    def names(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
        return {node.name: node.body for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}

    stub = names(ast.parse((SOURCE / "_native.pyi").read_text()).body)
    assert set(stub) == {name for name in vars(_native) if name[0] != "_"}
    for name, body in stub.items():
        thing = getattr(_native, name)
        if isinstance(thing, type):
            assert {n for n in names(body) if n[0] != "_"} == {n for n in vars(thing) if n[0] != "_"}


LAYERS = (
    "messages",
    "errors",
    "moments",
    "files",
    "settings",
    "view",
    "workers",
    "display",
    "drawing",
    "encoding",
    "game",
    "batches",
    "formats",
    "rating",
    "games",
    "client",
    "play",
    "search",
    "protocols",
    "sandbox",
    "bots",
    "players",
    "game_task",
    "envs",
    "check",
    "store",
    "tournament",
    "reports",
    "courses",
    "web",
    "cli",
    "__main__",
)
"""From the ground upwards: a module imports only from layers before its own, or from its own."""


def layer_of(module: str) -> int:
    """Return the place of a module's folder among the layers."""
    return LAYERS.index(module.split(".", maxsplit=1)[0])


def imports_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a file imports: each module, and the name that is taken from it, if any."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)


def test_imports_go_downwards_only() -> None:
    for path in SOURCE.rglob("*.py"):
        own = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        if own == "__init__":
            continue
        for module, _ in imports_of(path):
            below = module.removeprefix("ludus.")
            if below not in (module, "_native"):
                assert layer_of(below) <= layer_of(own), f"{path} imports {module}"


def test_the_picture_of_the_layers_has_them_all() -> None:
    page = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text()
    picture = page.partition("```")[2].partition("```")[0]
    named = {word.removesuffix("/NAME") for line in picture.splitlines() for word in line.split()[:2]}
    assert {*LAYERS} - named == {"__main__"}


def test_no_two_classes_have_one_name() -> None:
    """One name, one meaning. Each game has a `Reference`; what runs in bots' processes is not ours to name."""
    places: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        if {"starters", "stand_ins", "shims"} & {*path.parts} or path.name == "reference.py":
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name[0] != "_":
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_tests_import_no_private_names() -> None:
    """Ruff sees private attributes; of private names, the compiled module alone is tested as it is."""
    for path in Path(__file__).parent.rglob("*.py"):
        for module, name in imports_of(path):
            words = {*module.split("."), name} - {"__future__", "_native"}
            assert module.split(".")[0] != "ludus" or not any(word.startswith("_") for word in words), path


def declared(project: dict[str, Any], *groups: str) -> set[str]:
    """Return the packages that pyproject.toml lists: the package's own dependencies, and those of some groups."""
    lists = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    lists += [project["dependency-groups"][group] for group in groups]
    return {re.split(r"[\[<>=]", one)[0].replace("_", "-").lower() for one in itertools.chain(*lists)}


def test_every_imported_package_is_declared() -> None:
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    providers = importlib.metadata.packages_distributions()
    ours = {"ludus", *(path.stem for path in (root / "tests").rglob("*.py"))}
    for folder, groups in (
        ("src", ()),
        ("tests", ("dev", "fuzz")),
        ("bench", ("dev", "compare")),
        ("scripts", ("dev",)),
    ):
        known = declared(project, *groups)
        for path in (root / folder).rglob("*.py"):
            if {"starters", "stand_ins"} & {*path.parts}:  # a student's bot, that has its own modules beside it
                continue
            for module in {module.split(".")[0] for module, _ in imports_of(path)} - ours - sys.stdlib_module_names:
                found = {name.replace("_", "-").lower() for name in providers.get(module, [module])}
                assert found & known, f"{path.relative_to(root)} imports {module}, which pyproject.toml does not list"
