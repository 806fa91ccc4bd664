"""Settings files (tournaments, courses): the base of their models, and what is wrong with one as a single sentence.

A model is a pydantic class over `Settings`; its fields are the keys that the file may have, in the order in which an
error lists them. Tables within tables are models within models. Knows no tournament and no course.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from ludus.errors import UserError, message_of
from ludus.messages import Message

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

KINDS: Mapping[object, str] = {
    str: "settings.text",
    int: "settings.whole_number",
    float: "settings.number",
    bool: "settings.true_or_false",
    dict: "settings.table",
    list: "settings.list",
    tuple: "settings.list",
}


class Settings(BaseModel):
    """A table of a settings file: no other keys than its fields, and no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    example_command: ClassVar[str] = ""
    """The command that shows a whole file, where there is one."""


T = TypeVar("T", bound=Settings)


class _Place(NamedTuple):
    """Where an error is: a table, the path to it, the key in it ('' for the whole table), and what the key holds."""

    table: type[BaseModel]
    path: tuple[int | str, ...]
    key: str
    kind: Any


def read_settings(model: type[T], data: object, source: str) -> T:
    """Return the settings that a table holds; raise UserError that names the place, starting with `source`."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
        first = min(found, key=lambda one: one["type"] != "extra_forbidden")  # a misspelt key explains a missing one
        raise UserError(_problem(model, first, source)) from None


def _problem(model: type[Settings], error: ErrorDetails, source: str) -> Message:
    place = _place(model, error["loc"], whole=error["type"] == "value_error")
    where: str | Message = source
    if place.path:
        table = f"[{place.path[0]}]" if len(place.path) == 1 else ".".join(map(str, place.path))
        where = Message("settings.place", source=source, table=table)
    values = {"place": where, "key": place.key, "value": repr(error["input"])}
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return Message("settings.unknown_key", place=where, key=repr(place.key), keys=list(_fields(place.table)))
        case "missing" if model.example_command:
            return Message("settings.missing_example", place=where, key=place.key, command=model.example_command)
        case "missing":
            return Message("settings.missing", place=where, key=place.key, kind=_kind(place.kind))
        case "value_error":
            return _refused(where, place.key, context["error"])
        case "greater_than_equal":
            return Message("settings.at_least", **values, least=context["ge"])
        case "less_than_equal":
            return Message("settings.at_most", **values, most=context["le"])
        case "literal_error":
            return Message("settings.one_of", **values, choices=_choices(place.kind))
    if not place.key:
        return Message("settings.not_a_table", place=where, value=values["value"])
    return Message("settings.wrong_kind", **values, kind=_kind(place.kind))


def _refused(where: str | Message, key: str, error: ValueError) -> Message:
    """Return the problem that a validator of a model raised."""
    problem = message_of(error)
    if not key:
        return Message("settings.refused_table", place=where, problem=problem)
    return Message("settings.refused", place=where, key=key, problem=problem)


def _place(model: type[BaseModel], location: tuple[int | str, ...], *, whole: bool) -> _Place:
    """Follow the location of an error down to the innermost table; `whole` where a table itself may be meant."""
    table, depth, key = model, 0, ""
    kind: Any = model
    for index, part in enumerate(location):
        if _is_model(kind):
            kind, key = _fields(kind).get(str(part)), str(part)
        elif get_origin(kind) is dict:
            kind, key = get_args(kind)[1], f"{key}.{part}"
        else:
            break
        if _is_model(kind) and (whole or index + 1 < len(location)):
            table, depth, key = kind, index + 1, ""
    return _Place(table, location[:depth], key, kind)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _fields(table: type[BaseModel]) -> dict[str, Any]:
    """Return the annotations of a table's keys."""
    return {field.alias or name: field.annotation for name, field in table.model_fields.items()}


def _choices(annotation: Any) -> list[str]:
    """Return the values that a literal allows."""
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for inside in get_args(annotation) for choice in _choices(inside)]


def _kind(annotation: Any) -> Message:
    """Return the name of the kind of value that an annotation allows."""
    origin, inside = get_origin(annotation), [one for one in get_args(annotation) if one not in (NoneType, ...)]
    if origin in (Union, UnionType):
        kinds = [_kind(one) for one in inside]
        return kinds[0] if len(kinds) == 1 else Message("settings.either", one=kinds[0], other=kinds[1])
    if origin in (list, tuple):
        return Message("settings.list_of", kind=_kind(inside[0]))
    return Message(KINDS.get(origin or annotation, "settings.table"))
