"""Converts Python 2 sources into Python 3, in place: runs in the sandbox, with the names of the files as arguments.

Python's own converter does the words. Done here: `/` between whole numbers rounds down, as it did, lists are sorted
by functions that compare, `map`, `filter` and `zip` give what they gave, and None is less than anything. Lines stay
where they are. What it calls is in `sitecustomize.py` beside it.
Needs a Python that still has lib2to3: 3.12 at the latest.
"""

import ast
import sys
import warnings
from pathlib import Path
from typing import Any

LIST_METHODS = {"sort": 0, "sorted": 1}
"""Calls that took a function that compares two values, and how many arguments come before it."""
ORDERS = {ast.Lt: b"<", ast.LtE: b"<=", ast.Gt: b">", ast.GtE: b">="}
AT_ONCE = ("map", "filter", "zip")
"""Functions that gave a list, or a text for a text."""


def places(text: str) -> list[int]:
    """Return where each line begins, in bytes: a node counts so."""
    found = [0]
    for line in text.encode().splitlines(keepends=True):
        found.append(found[-1] + len(line))
    return found


class Changes(ast.NodeVisitor):
    """Finds what must be inserted or replaced, so that every line stays where it is."""

    def __init__(self, data: bytes, lines: list[int], tree: ast.AST, *, divides: bool) -> None:
        self.data, self.lines, self.divides = data, lines, divides
        self.own, self.unset = defined(tree), begun_as_none(tree)
        self.found: list[tuple[int, int, bytes]] = []
        """From where to where, and what comes there; of two at one place the first comes first."""

    def start(self, node: Any) -> int:
        """Return where a node begins."""
        return self._place(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """Return where a node ends."""
        return self._place(node.end_lineno, node.end_col_offset)

    def _place(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Replace a / b by a call."""
        if isinstance(node.op, ast.Div) and self.divides:
            at = self.data.find(b"/", self.end(node.left), self.start(node.right))
            if at >= 0:
                self.found.append((self.start(node), self.start(node), b"ludus_division("))
                self.found.append((at, at + 1, b","))
                self.generic_visit(node)
                self.found.append((self.end(node), self.end(node), b")"))
                return
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Replace a /= b."""
        at = self.data.find(b"/=", self.end(node.target), self.start(node.value))
        if isinstance(node.op, ast.Div) and self.divides and at >= 0:
            target = self.data[self.start(node.target) : self.end(node.target)]
            self.found.append((at, at + 2, b"= ludus_division(" + target + b", "))
            self.generic_visit(node)
            self.found.append((self.end(node), self.end(node), b")"))
            return
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Compare by a call what may still be None: it was less than anything."""
        sides, order = (node.left, node.comparators[0]), ORDERS.get(type(node.ops[0]))
        if len(node.ops) == 1 and order and any(name_of(side) in self.unset for side in sides):
            at = self.data.find(order, self.end(node.left), self.start(sides[1]))
            self.found.append((self.start(node), self.start(node), b"(ludus_compared("))
            self.found.append((at, at + len(order), b","))
            self.generic_visit(node)
            self.found.append((self.end(node), self.end(node), b") " + order + b" 0)"))
            return
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Replace the function that compares two values by one that gives a key, and functions that gave lists."""
        if isinstance(node.func, ast.Name) and node.func.id in AT_ONCE and node.func.id not in self.own:
            self.found.append((self.start(node.func), self.start(node.func), b"ludus_"))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "next" and not node.args:
            value = node.func.value  # Python's own converter leaves out `file.next().strip()`
            self.found += [(self.start(value), self.start(value), b"next("), (self.end(value), self.end(node), b")")]
            self.visit(value)
            return
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        before = LIST_METHODS.get(name)
        old: list[tuple[Any, Any]] = []
        if before is not None:
            old += [(word, word.value) for word in node.keywords if word.arg == "cmp"]
            old += [(value, value) for value in node.args[before : before + 1] if compares(value)]
        for whole, value in old:
            self.found.append((self.start(whole), self.start(value), b"key=ludus_key("))
        self.generic_visit(node)
        self.found += [(self.end(value), self.end(value), b")") for _, value in old]


def compares(node: ast.expr) -> bool:
    """Return whether an argument is a function that compares two values, by its look: a list is none."""
    if isinstance(node, ast.Lambda):
        return len(node.args.args) == 2
    return isinstance(node, ast.Name) and ("cmp" in node.id.lower() or "compar" in node.id.lower())


def name_of(node: ast.expr) -> str:
    """Return the name of a variable or a field; empty for anything else."""
    return str(getattr(node, "id", getattr(node, "attr", ""))) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def begun_as_none(tree: ast.AST) -> set[str]:
    """Return the names of variables and fields that are set to None somewhere."""
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            found |= {name_of(one) for one, begun in pairs if isinstance(begun, ast.Constant) and begun.value is None}
    return found - {""}


def defined(tree: ast.AST) -> set[str]:
    """Return the names that a source gives to functions and values of its own."""
    made = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return made | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def converted(text: str, name: str, tool: Any) -> str:
    """Return the text in Python 3."""
    new = str(tool.refactor_string(text if text.endswith("\n") else text + "\n", name))
    data = new.encode()
    tree = ast.parse(new, name)
    changes = Changes(data, places(new), tree, divides="__future__ import division" not in text)
    changes.visit(tree)
    parts, at = [], 0
    for start, end, becomes in sorted(changes.found, key=lambda change: change[:2]):
        parts += [data[at:start], becomes]
        at = end
    return b"".join([*parts, data[at:]]).decode()


def main() -> None:
    """Convert the files that are named."""
    warnings.simplefilter("ignore")
    try:
        from lib2to3.refactor import RefactoringTool, get_fixers_from_package  # noqa: PLC0415 - not everywhere
    except ImportError:
        sys.exit("error: this Python cannot convert Python 2 any more; port the program with 2to3")
    fixers = [one for one in get_fixers_from_package("lib2to3.fixes") if one.rpartition("_")[2] not in AT_ONCE]
    tool = RefactoringTool(fixers)
    sys.setrecursionlimit(20000)
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(converted(path.read_text(encoding="utf-8"), name, tool), encoding="utf-8")


if __name__ == "__main__":
    main()
