"""Several programs of one submission: asks which of them is started, and is that program from then on.

Called with their number, and the name and the command of each; what follows is given to the program. The files of each
are in a folder of their own, `program_1` and so on, so that classes of the same name do not meet.
"""

import os
import shlex
import sys

count = int(sys.argv[1])
names, commands, more = sys.argv[2 : 2 + 2 * count : 2], sys.argv[3 : 3 + 2 * count : 2], sys.argv[2 + 2 * count :]
sys.stdout.write("Programs:\n")
for number, name in enumerate(names, 1):
    sys.stdout.write(f"{number}. {name}\n")
line = input("Choose a program: ").strip()
if line not in map(str, range(1, count + 1)):
    sys.exit("There is no such program.")
folder = f"program_{line}"
for name in os.listdir(folder):  # noqa: PTH208 - it needs nothing but names
    if not os.path.lexists(name):
        os.symlink(f"{folder}/{name}", name)  # noqa: PTH211
words = [*shlex.split(commands[int(line) - 1]), *more]
os.execvp(words[0], words)  # noqa: S606 - the bot, in its sandbox
