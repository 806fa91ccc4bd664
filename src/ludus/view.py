"""The base of everything that is shown or sent as JSON. Knows no game, no page and no file."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Typed JSON; `model_validate` makes it from an object that has the same attributes."""

    model_config = ConfigDict(from_attributes=True)

    def brief(self) -> dict[str, Any]:
        """Return the JSON without the fields that have their default value."""
        return self.model_dump(exclude_defaults=True)
