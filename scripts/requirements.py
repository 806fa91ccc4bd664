"""Prints what .venv needs, from pyproject.toml: `build` for the core, `run` for the arena too; else everything."""

import sys
import tomllib
from pathlib import Path

file = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
project, extras, groups = file["project"], file["project"]["optional-dependencies"], file["dependency-groups"]
run = [project["dependencies"], extras["courses"], extras["web"], groups["build"]]
scopes = {"build": [groups["build"]], "run": run, "all": [*run, *extras.values(), groups["dev"]]}
lists = scopes[(*sys.argv[1:], "all")[0]]
wanted = {one.replace(" ", "") for names in lists for one in names}  # each is one word of the shell
print(*sorted(one for one in wanted if not one.startswith(f"{project['name']}[")))
