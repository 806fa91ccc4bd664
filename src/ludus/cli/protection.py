"""What the command line says about a weak sandbox: a line where bots play, a refusal where strangers' bots do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.cli.output import echo
from ludus.errors import UserError
from ludus.messages import Message
from ludus.players import HUMAN, is_named
from ludus.sandbox import weakness

if TYPE_CHECKING:
    from collections.abc import Iterable


def mention_weakness(players: Iterable[str], *, trusted: bool = False) -> None:
    """Say what is missing, on standard error, if some of the players are bots that run in the sandbox."""
    if not trusted and not all(text == HUMAN or is_named(text) for text in players) and (problem := weakness()):
        echo(Message("cli.weak_sandbox", problem=problem), err=True)


def accept_weakness(*, weak: bool) -> None:
    """Refuse to run strangers' bots in a weak sandbox, or say what is missing where that was accepted."""
    problem = weakness()
    if problem is None:
        return
    if not weak:
        raise UserError("cli.weak_sandbox_refused", problem=problem)
    echo(Message("cli.weak_sandbox", problem=problem), err=True)
