"""Puts back what later versions of Python took away, for programs of students that were written before.

Python reads this file before the program. Knows nothing of the program; changes only what is not there any more, and
stands in for libraries that show something to a person where they are not installed.
"""

import builtins
import collections
import collections.abc
import fractions
import functools
import importlib.abc
import importlib.machinery
import itertools
import math
import os
import string
import sys
import time
import types
from pathlib import Path
from typing import Any


def put(place: Any, name: str, value: Any) -> None:
    """Put a value where nothing is."""
    if not hasattr(place, name):
        setattr(place, name, value)


def division(a: Any, b: Any) -> Any:
    """Divide as Python 2 does."""
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


def compared(a: Any, b: Any) -> int:
    """Compare two values as Python 2 does."""
    return bool(a > b) - bool(a < b)


def mapped(function: Any, *given: Any) -> list[Any]:
    """Apply a function to a list, or to several, the shorter ones filled up with None; without one, join them."""
    rows = itertools.zip_longest(*given)
    if function is None:
        return [row[0] if len(given) == 1 else row for row in rows]
    return [function(*row) for row in rows]


def filtered(function: Any, given: Any) -> Any:
    """Return what passes: a text of a text, a tuple of a tuple, otherwise a list."""
    passed = list(filter(function, given))
    if isinstance(given, str):
        return "".join(passed)
    return tuple(passed) if isinstance(given, tuple) else passed


def zipped(*given: Any) -> list[Any]:
    """Return the lists side by side, as a list."""
    return list(zip(*given, strict=False))


def opened(file: Any, mode: str = "r", *given: Any, **more: Any) -> Any:
    """Open a file in the modes of then: with U for any line ends, and in Python 2 any text as a text."""
    text = PYTHON_2 and str(file).lower().endswith(".txt")
    mode = mode.replace("U", "").replace("b", "" if text else "b")
    return plainly_opened(file, mode if mode[:1] in ("r", "w", "a", "x") else f"r{mode}", *given, **more)


def built(function: Any, name: str, *bases: Any, **more: Any) -> Any:
    """Make a class that is ordered as in Python 2: by `__cmp__`, or else somehow, but the same way each time."""
    made = plainly_built(function, name, *bases, **more)
    own = [base for base in made.__mro__ if base is not object] if isinstance(made, type) else []
    names = {each for base in own for each in vars(base)}
    if "__cmp__" in names:
        order = {"__eq__": lambda a, b: a.__cmp__(b) == 0}
        order |= {"__lt__": lambda a, b: a.__cmp__(b) < 0, "__gt__": lambda a, b: a.__cmp__(b) > 0}
        order |= {"__le__": lambda a, b: a.__cmp__(b) <= 0, "__ge__": lambda a, b: a.__cmp__(b) >= 0}
    elif len(own) == 1 and not names & {"__lt__", "__gt__", "__le__", "__ge__"}:
        order = {"__lt__": lambda a, b: id(a) < id(b), "__gt__": lambda a, b: id(a) > id(b)}
    else:
        order = {}
    for each, compares in order.items():
        if each not in names:
            setattr(made, each, compares)
    return made


def with_none(a: Any, b: Any) -> int:
    """Compare two values of which None is less than anything."""
    return compared(a, b) if a is not None and b is not None else (b is None) - (a is None)


put(builtins, "ludus_division", division)
put(builtins, "ludus_compared", with_none)
put(builtins, "ludus_map", mapped)
put(builtins, "ludus_filter", filtered)
put(builtins, "ludus_zip", zipped)
put(builtins, "ludus_key", functools.cmp_to_key)
put(builtins, "cmp", compared)
PYTHON_2 = (Path(__file__).parent / "ludus_python2.py").exists()
"""Whether the program was in Python 2: then its converter is here."""
plainly_opened, plainly_built = open, builtins.__build_class__
vars(builtins).update(open=opened, file=opened)
if PYTHON_2:
    vars(builtins).update(__build_class__=built)
put(builtins, "maxint", sys.maxsize)
put(time, "clock", time.process_time)
put(sys, "maxint", sys.maxsize)
put(sys, "setdefaultencoding", lambda _name: None)
put(os, "getcwdu", os.getcwd)
put(os, "errno", __import__("errno"))
put(fractions, "gcd", math.gcd)
put(string, "uppercase", string.ascii_uppercase)
put(string, "lowercase", string.ascii_lowercase)
put(string, "letters", string.ascii_letters)
put(string, "maketrans", str.maketrans)
put(string, "join", lambda words, between=" ": between.join(words))
put(string, "atoi", int)
put(string, "atof", float)
for method in ("split", "replace", "upper", "lower", "strip", "find", "count", "zfill", "rjust", "ljust", "index"):
    put(string, method, getattr(str, method))
for kind in ("Callable", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence", "Set", "Sized"):
    put(collections, kind, getattr(collections.abc, kind))


SHOWN = ("matplotlib", "seaborn", "colorama", "termcolor", "tqdm", "IPython", "prettytable", "tabulate")
"""Libraries that only show something; `repair.py` has the same, and the page on which a notebook was written."""


class Nothing(types.ModuleType):
    """Something of such a library: has every name, can be called, and shows nothing."""

    def __getattr__(self, name: str) -> "Nothing":
        """Have every name but those by which Python asks what a thing can do."""
        if name.startswith("__") and name not in ("__all__", "__path__"):
            raise AttributeError(name)
        return Nothing(name)

    def __call__(self, *given: Any, **_more: Any) -> Any:
        """Return a text or a collection as it was given: that is what is coloured, drawn as a table or counted."""
        return given[0] if given and not callable(given[0]) and hasattr(given[0], "__iter__") else self

    def __add__(self, other: Any) -> Any:
        """Add no colour to a text."""
        return other

    __radd__ = __add__

    def __str__(self) -> str:
        """Print nothing."""
        return ""

    def __iter__(self) -> Any:
        """Have no parts."""
        return iter(())

    def __enter__(self) -> "Nothing":
        """Begin nothing."""
        return self

    def __exit__(self, *_how: object) -> None:
        """End nothing."""


class Displays(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds such a library where nobody else does."""

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        """Find a library that shows something, or a part of it."""
        shown = name.partition(".")[0] in SHOWN or name == "google" or f"{name}.".startswith("google.colab.")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if shown else None

    def create_module(self, spec: Any) -> Nothing:
        """Make a module of nothing."""
        return Nothing(spec.name)

    def exec_module(self, module: Any) -> None:
        """Give it no names for `import *`."""
        module.__all__ = []


sys.meta_path.append(Displays())
