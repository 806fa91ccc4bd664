"""Prints what .venv needs: the package's own dependencies and those of a developer, as pyproject.toml lists them."""

import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
print(*project["project"]["dependencies"], *project["dependency-groups"]["dev"])
