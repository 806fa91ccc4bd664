"""Prints what .venv needs, from pyproject.toml: with `run`, to build and run the arena; else everything."""

import sys
import tomllib
from pathlib import Path

file = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
project, extras, groups = file["project"], file["project"]["optional-dependencies"], file["dependency-groups"]
run = [project["dependencies"], extras["courses"], extras["web"], groups["build"]]
lists = run if sys.argv[1:] == ["run"] else [*run, *extras.values(), groups["dev"]]
print(*sorted({one for names in lists for one in names if not one.startswith(f"{project['name']}[")}))
