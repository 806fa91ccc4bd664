"""`python`: a module with `choose(state, clock)` that returns a move. `state` is a real state of `ludus`, `clock` what
the bot has left. The shim imports the module and calls the function.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.protocols import BotProtocol, Exchange, Source, is_move, legal, quoted, shim, unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.play.player import Situation

SHIM = "ludus_python.py"

CHOOSE = re.compile(r"^def\s++choose\s*+\(\s*+[^,()]++,\s*+[^,()\s]", re.MULTILINE)
"""The function takes two things."""
ASKS = re.compile(r"^[^#\n]*?(?<![\w.])(?:raw_)?input\s*+\(", re.MULTILINE)


class Python(BotProtocol):
    """A function call away."""

    name = "python"
    greeting = (Exchange("ready", "ready"),)
    """The answer comes once the module is imported."""
    needs_ludus = True
    tells_all = True
    rank = 20

    def sign(self, source: Source) -> Message | None:
        """Look for the function; in a program that asks a person, one of that name is something else."""
        found = source.language == "python" and CHOOSE.search(source.text) and not ASKS.search(source.text)
        return Message("bots.has_choose") if found else None

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:  # noqa: ARG002 - the state says it
        """Let the shim import the module, in the interpreter that has `ludus`."""
        module = next((i for i, word in enumerate(run) if word.endswith(".py")), None)
        if module is None:
            raise UserError("protocols.no_python_file", run=repr(" ".join(run)))
        return (sys.executable, *run[1:module], SHIM, *run[module:])

    def files(self) -> Mapping[str, str]:
        """Return the shim."""
        return {SHIM: shim(SHIM)}

    def ask(self, situation: Situation, known: int) -> str:  # noqa: ARG002 - the state says it all
        """Send the state and the clock."""
        state, time = situation.state, situation.time
        request = {"game": state.game.name, "options": dict(state.game.options), "position": state.text}
        return json.dumps({**request, "clock": time.clock.text, "bank": time.bank, "used": time.used}) + "\n"

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:  # noqa: ARG002 - nothing is tolerated
        """Find what `choose` returned: a text is a move."""
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            return None
        if "move" not in answer:
            raise Fault("bad-output", Message("protocols.no_text", quoted=quoted(str(answer.get("thing")))))
        text = str(answer["move"]).strip()
        if is_move(situation.state, text):
            return legal(situation.state, text)
        raise unreadable(situation.state, text)


PROTOCOL = Python()
