"""Stands between the referee and a bot that is a module with `choose(state, clock)`: one JSON line in, one out.

Whatever the bot prints goes to standard error, and nothing of the conversation can be read by it by mistake.
"""

import importlib.util
import json
import os
import sys

if sys.path[0] == os.path.dirname(os.path.realpath(__file__)):  # noqa: PTH120
    del sys.path[0]  # the bot's folder: what lies there must not stand in for what `ludus` imports

import ludus
from ludus.play.clock import Clock, TimeLeft


def main() -> None:
    """Import the bot and answer until the referee closes the line."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.realpath(sys.argv[0])))  # noqa: PTH120
    spec = importlib.util.spec_from_file_location("bot", sys.argv[0])
    if spec is None or spec.loader is None:
        sys.exit(f"{sys.argv[0]} is no Python file")
    bot = importlib.util.module_from_spec(spec)
    sys.modules["bot"] = bot
    spec.loader.exec_module(bot)
    if not callable(getattr(bot, "choose", None)):
        sys.exit(f"{sys.argv[0]} has no function choose(state, clock)")
    for line in requests:
        if line.strip() == "ready":
            answer = "ready"
        else:
            request = json.loads(line)
            state = ludus.game(request["game"], **request["options"]).parse(request["position"])
            move = bot.choose(state, TimeLeft(Clock.parse(request["clock"]), request["bank"], request["used"]))
            answer = json.dumps({"move": move} if isinstance(move, str) else {"thing": repr(move)[:200]})
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    main()
