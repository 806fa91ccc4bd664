"""What the package promises as a package: its public names, a quick import, honest stubs, imports that go downwards."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

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


def test_import_is_quick() -> None:
    """At most 60 ms of CPU: the best of five, since the machine is shared."""
    program = "import time; start = time.process_time(); import ludus; print(time.process_time() - start)"
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, check=True) for _ in range(5)]
    assert min(float(run.stdout) for run in runs) < 0.060


@pytest.mark.parametrize("heavy", ["click", "rich", "prompt_toolkit", "dataclasses", "importlib.metadata", "numpy"])
def test_heavy_parts_load_when_used(heavy: str) -> None:
    program = f"import ludus, sys; ludus.game('cantris').initial(); sys.exit({heavy!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


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
    "files",
    "settings",
    "workers",
    "display",
    "drawing",
    "game",
    "formats",
    "rating",
    "games",
    "play",
    "search",
    "protocols",
    "sandbox",
    "bots",
    "players",
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


def test_imports_go_downwards_only() -> None:
    for path in SOURCE.rglob("*.py"):
        own = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        if own == "__init__":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in modules:
                below = module.removeprefix("ludus.")
                if below not in (module, "_native"):
                    assert layer_of(below) <= layer_of(own), f"{path} imports {module}"
