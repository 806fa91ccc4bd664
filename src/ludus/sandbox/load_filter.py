"""Loads seccomp filters from file descriptors into this process, and becomes another program.

Run without the environment of Ludus: `python -I -S load_filter.py DESCRIPTOR,DESCRIPTOR COMMAND...`
"""

import ctypes
import os
import signal
import sys

NO_NEW_PRIVILEGES, LOAD, FILTER, INSTRUCTION_BYTES = 38, 22, 2, 8


class FilterProgram(ctypes.Structure):
    """A filter as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def main(descriptors: str, *command: str) -> None:
    """Load the filters and run the command; status 125 where that fails."""
    kernel = ctypes.CDLL(None)
    kernel.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for descriptor in descriptors.split(","):
        with open(int(descriptor), "rb") as file:  # noqa: PTH123 - a descriptor
            data = file.read()
        held = ctypes.create_string_buffer(data, len(data))
        program = FilterProgram(len(data) // INSTRUCTION_BYTES, ctypes.cast(held, ctypes.c_void_p))
        if kernel.prctl(LOAD, FILTER, ctypes.byref(program), 0, 0):
            sys.exit(125)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and what follows would inherit
    os.execvp(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(*sys.argv[1:])
