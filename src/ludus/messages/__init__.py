"""What people read, as data: a code with named parameters, put into words where it is shown, in the reader's language.

The words are in catalogues, flat JSON objects from keys to texts with `{name}` holes: a folder for each language here,
with the words that only pages show in `pages`, and `messages/LANGUAGE.json` in each game's folder. The page reads the
same files by the same rules (`web/static/page.js`). Knows no page, no
terminal and no PDF, and nothing of what the messages are about.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FOLDER = Path(__file__).parent
GAMES = FOLDER.parent / "games"
LANGUAGES = ("en", "zh-Hant")
SHORT_NAMES = {"zh": "zh-Hant"}
"""What reports and the command line call a language."""
HOLE = re.compile(r"\{(\w+)\}")
DEEPEST = 6
"""Messages in messages; the deepest of ours have four."""
VERBATIM = "verbatim"
"""The code of a text that is not ours, such as a compiler's: it is shown as it is in every language."""


class Message:
    """A code and its parameters: texts, numbers, other messages, or lists of these; all else is taken as its text.

    >>> str(Message("verbatim", text="hello"))
    'hello'
    """

    __slots__ = ("code", "params")

    def __init__(self, code: str, /, **params: Any) -> None:
        self.code = code
        self.params: Mapping[str, Any] = {name: _taken(value) for name, value in params.items()}

    @property
    def json(self) -> dict[str, Any]:
        """The message as JSON carries it; `from_json` reads it back."""
        return {"code": self.code, "params": {name: _to_json(value) for name, value in self.params.items()}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], depth: int = 0) -> Message:
        """Return the message that `json` was made from; RecursionError for one deeper than any of ours.

        A text may have a hole twice, and its words then double with each message in a message.
        """
        if depth > DEEPEST:
            raise RecursionError("messages in messages")
        return cls(data["code"], **{name: _from_json(value, depth + 1) for name, value in data["params"].items()})

    def __str__(self) -> str:
        return render(self, "en")

    def __repr__(self) -> str:
        return f"Message({', '.join([repr(self.code), *(f'{name}={value!r}' for name, value in self.params.items())])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.code, self.params) == (other.code, other.params)

    def __hash__(self) -> int:
        return hash((self.code, *sorted(self.params)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.code, dict(self.params))


def verbatim(text: Message | str) -> Message:
    """Return the message that is just this text in every language; a message is one already."""
    return text if isinstance(text, Message) else Message(VERBATIM, text=text)


def known(code: str, text: str) -> Message:
    """Return the message of a code, or just the text where no catalogue has the code: a name from another package."""
    return Message(code) if code in catalogue("en") else verbatim(text)


def stored_message(data: Mapping[str, Any] | None, text: str | None) -> Message | None:
    """Return a message that was stored beside its English text; old data has the text only, and some has neither."""
    return Message.from_json(data) if data else verbatim(text) if text else None


def is_language(name: str) -> bool:
    """Return whether there is a catalogue of a language."""
    return SHORT_NAMES.get(name, name) in LANGUAGES


def render(message: Message | str, language: str) -> str:
    """Return a message in words; a text, and a code that no catalogue has, is shown as it is."""
    if isinstance(message, str):
        return message
    words = catalogue(language)
    code = f"{message.code}.one" if message.params.get("n") == 1 else message.code
    text = words.get(code, words.get(message.code, message.code))
    return HOLE.sub(lambda hole: _shown(message.params.get(hole[1], hole[0]), language), text)


@functools.cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return all texts of a language by their keys; one that is not known has the English ones."""
    name = SHORT_NAMES.get(language, language)
    if name not in LANGUAGES:
        name = "en"
    return read_catalogues([*sorted((FOLDER / name).rglob("*.json")), *sorted(GAMES.glob(f"*/messages/{name}.json"))])


def read_catalogues(files: Iterable[Path]) -> dict[str, str]:
    """Return the texts of several files by their keys."""
    texts: dict[str, str] = {}
    for file in files:
        texts |= json.loads(file.read_text(encoding="utf-8"))
    return texts


def _taken(value: Any) -> Any:
    """Return a parameter as a message keeps it."""
    if isinstance(value, list | tuple):
        return tuple(map(_taken, value))
    return value if isinstance(value, Message | str | int | float) else str(value)


def _shown(value: Any, language: str) -> str:
    """Return a parameter in words."""
    if isinstance(value, Message):
        return render(value, language)
    if isinstance(value, tuple):
        return catalogue(language)["list.separator"].join(_shown(one, language) for one in value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:g}"
    return str(value)


def _to_json(value: Any) -> Any:
    if isinstance(value, Message):
        return value.json
    return [_to_json(one) for one in value] if isinstance(value, tuple) else value


def _from_json(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return Message.from_json(value, depth)
    return tuple(_from_json(one, depth) for one in value) if isinstance(value, list) else value


def _restore(code: str, params: Mapping[str, Any]) -> Message:
    return Message(code, **params)
