"""Messages as fields of pydantic models: JSON carries their code and parameters. Apart, since pydantic loads slowly."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from ludus.messages import Message


def _read(data: Message | dict[str, Any]) -> Message:
    return data if isinstance(data, Message) else Message.from_json(data)


MessageField = Annotated[
    Message,
    PlainValidator(_read),
    PlainSerializer(lambda message: message.json, return_type=dict),
    WithJsonSchema({"type": "object", "properties": {"code": {"type": "string"}, "params": {"type": "object"}}}),
]
"""A message, read from itself or from its JSON."""
