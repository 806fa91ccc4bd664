"""HTML pages from Jinja templates, for tournaments and courses: text that people read comes from the catalogue.

Every value is escaped and cleaned, and messages are put into the language of the page. Knows no page.
"""

from __future__ import annotations

import functools
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ludus.display import visible
from ludus.messages import SHORT_NAMES, Message, render
from ludus.messages.names import player_message


def render_page(package: str, template: str, language: str, **values: Any) -> str:
    """Return a page from a template in the folder `templates` of a package; `t(CODE, ...)` in it is a message."""
    return _environment(package, language).get_template(template).render(**values)


@functools.cache
def _environment(package: str, language: str) -> Environment:
    def shown(value: object) -> object:
        if isinstance(value, Markup):  # made from values that were shown by this function
            return value
        return visible(render(value, language) if isinstance(value, Message) else str(value))

    environment = Environment(
        loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, finalize=shown, trim_blocks=True
    )
    environment.globals |= {"t": Message, "named": player_message, "language": SHORT_NAMES.get(language, language)}
    return environment
