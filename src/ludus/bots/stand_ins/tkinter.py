"""Stands in for tkinter, so that a program with a window can be played in a terminal (see `ludus_window.py`).

A board is a grid of buttons or labels, or squares on a canvas. Other buttons are a numbered list. What only decorates
the window does nothing, and what is to happen later happens before the next click.
"""

import sys
import types
from typing import Any

from ludus_window import Drawing, Nothing, click, show, sign_of  # type: ignore[import-not-found]  # it is beside this file there

ROUNDS = 3
"""How often what is to happen later may plan more of it, before a click is asked for."""
FEWEST = 3
"""Rows and columns of a grid that is a board."""
TkVersion, TclError = 8.6, RuntimeError
_widgets: list[Any] = []
_later: list[Any] = []
_windows: list[Any] = []


class Variable:
    """A value that widgets share."""

    def __init__(self, _master: Any = None, value: Any = None, **_more: Any) -> None:
        self.value = self.usual if value is None else value

    usual = ""

    def get(self) -> Any:
        """Return the value."""
        return self.value

    def set(self, value: Any) -> None:
        """Change the value."""
        self.value = value

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


StringVar = type("StringVar", (Variable,), {})
IntVar = type("IntVar", (Variable,), {"usual": 0})
DoubleVar = type("DoubleVar", (Variable,), {"usual": 0.0})
BooleanVar = type("BooleanVar", (Variable,), {"usual": False})


class Event:
    """A click."""

    def __init__(self, widget: Any, x: Any = 1, y: Any = 1) -> None:
        self.widget, self.x, self.y, self.x_root, self.y_root, self.num = widget, x, y, x, y, 1


class Widget:
    """A part of a window, with its options and the place in its grid."""

    def __init__(self, master: Any = None, options: Any = None, **more: Any) -> None:
        self.master = master if master is not None else (_windows[0] if _windows and self is not _windows[0] else None)
        self.options = {**(options or {}), **more}
        self.first, self.shown = dict(self.options), False
        self.at: tuple[int, int] | None = None
        self.bound: dict[str, Any] = {}
        _widgets.append(self)

    def configure(self, options: Any = None, **more: Any) -> None:
        """Change options."""
        self.options |= {**(options or {}), **more}

    config = configure

    def cget(self, name: Any) -> Any:
        """Return an option."""
        return self.options.get(name, "")

    __getitem__ = cget

    def __setitem__(self, name: Any, value: Any) -> None:
        self.options[name] = value

    def grid(self, row: Any = 0, column: Any = 0, **_more: Any) -> None:
        """Show the widget in a grid."""
        self.at, self.shown = (int(row), int(column)), True

    def pack(self, *_given: Any, **_more: Any) -> None:
        """Show the widget."""
        self.shown = True

    place = pack

    def hide(self) -> None:
        """Show the widget no longer."""
        self.shown = False

    grid_forget = pack_forget = place_forget = grid_remove = withdraw = hide

    def bind(self, sequence: Any = None, handler: Any = None, *_more: Any) -> None:
        """Keep what a click does."""
        if sequence and "Button" in sequence and "Release" not in sequence:
            self.bound["click"] = handler

    def destroy(self) -> None:
        """Take the widget and what is in it away."""
        for other in [one for one in _widgets if one.master is self and one is not self]:
            other.destroy()
        if self in _widgets:
            _widgets.remove(self)
        if self in _windows:
            _windows.remove(self)

    def after(self, _delay: Any, handler: Any = None, *given: Any) -> Any:
        """Do something before the next click."""
        if handler is not None:
            _later.append((handler, given))
        return "after"

    def winfo_children(self) -> Any:
        """Return the widgets in this one."""
        return [one for one in _widgets if one.master is self]

    def winfo_exists(self) -> Any:
        """Return whether it was not destroyed."""
        return self in _widgets

    @property
    def visible(self) -> Any:
        """Whether it is shown, with all that it is in."""
        return self in _widgets and self.shown and (self.master is None or self.master.visible)

    @property
    def text(self) -> Any:
        """What it says."""
        variable = self.options.get("textvariable")
        return " ".join(str(variable.get() if variable is not None else self.options.get("text", "")).split())

    @property
    def sign(self) -> Any:
        """What it shows as a cell: its text, or a sign for a colour or picture that it did not begin with."""
        if self.text:
            return self.text[0]
        for name in ("image", "bg", "background", "fg"):
            now = self.options.get(name)
            if now and now != self.first.get(name):
                return sign_of(str(now))
        return "."

    def can_be_clicked(self) -> Any:
        """Return whether a click does something."""
        return self.options.get("state") != "disabled" and bool(self.options.get("command") or "click" in self.bound)

    def invoke(self, x: Any = 1, y: Any = 1) -> None:
        """Click on it."""
        if self.options.get("variable") is not None and "value" in self.options:
            self.options["variable"].set(self.options["value"])
        if callable(self.options.get("command")):
            self.options["command"]()
        elif "click" in self.bound:
            self.bound["click"](Event(self, x, y))

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Tk(Widget):
    """A window."""

    def __init__(self, *_given: Any, **_more: Any) -> None:
        _windows.append(self)
        super().__init__()
        self.master, self.shown = None, True

    def mainloop(self, *_times: Any) -> None:
        """Show the window and take clicks until it is closed."""
        while self in _windows:
            _pass_time()
            if self in _windows:
                _ask()

    def quit(self) -> None:
        """Close the window."""
        self.destroy()

    def destroy(self) -> None:
        """Close the window, after a last look at it."""
        if self in _windows:
            _show()
        super().destroy()


class Toplevel(Widget):
    """A window beside the first one."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.shown = True


class Canvas(Widget):
    """A widget that is drawn on."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.items: dict[int, Any] = {}
        self.count = 0

    def drawn(self) -> Any:
        """Return what is on it."""
        made = Drawing([int(self.options.get(name, 400)) for name in ("width", "height")])
        for kind, points, options in self.items.values():
            xs, ys = points[::2], points[1::2]
            rect = (min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))
            if kind == "text":
                text = str(options.get("text", ""))
                made.paint((xs[0] - 4 * len(text), ys[0] - 8, 8 * len(text), 16), text, "text")
            elif kind == "image":
                made.paint((xs[0] - 16, ys[0] - 16, 32, 32), str(options.get("image")), "piece")
            else:
                look = options.get("fill") or options.get("outline", "")
                made.paint(rect, look, {"rectangle": "ground", "line": "line"}.get(kind, "piece"))
        return made

    def __getattr__(self, name: Any) -> Any:
        kind = name.removeprefix("create_")
        if kind == name:
            return super().__getattr__(name)

        def create(*given: Any, **options: Any) -> Any:
            points: Any = given
            while len(points) == 1 or (points and isinstance(points[0], (tuple, list))):
                points = [
                    number for point in points for number in (point if isinstance(point, (tuple, list)) else [point])
                ]
            self.count += 1
            self.items[self.count] = (kind, list(points), options)
            return self.count

        return create

    def found(self, tag: Any) -> Any:
        """Return the items that a number or a tag means."""
        tags = {number: one[2].get("tags", one[2].get("tag", ())) for number, one in self.items.items()}
        return [
            number
            for number, own in tags.items()
            if tag in ("all", number) or tag == own or (not isinstance(own, str) and tag in own)
        ]

    def delete(self, *tags: Any) -> None:
        """Take items away."""
        for tag in tags:
            for number in self.found(tag):
                del self.items[number]

    def itemconfig(self, tag: Any, **options: Any) -> None:
        """Change items."""
        for number in self.found(tag):
            self.items[number][2].update(options)

    itemconfigure = itemconfig

    def can_be_clicked(self) -> Any:
        """Return whether a click does something."""
        return "click" in self.bound

    def tag_bind(self, _tag: Any, sequence: Any = None, handler: Any = None, *_more: Any) -> None:
        """Keep what a click does; a tag's is that of the whole canvas."""
        self.bind(sequence, handler)


def _pass_time() -> None:
    """Do what was to happen later."""
    for _ in range(ROUNDS):
        now, _later[:] = list(_later), []
        for handler, given in now:
            handler(*given)


def _board() -> Any:
    """Return the widgets of the largest grid that can be clicked, by rows; none where there is no such grid."""
    grids: dict[int, Any] = {}
    for one in _widgets:
        if one.at is not None and one.visible and isinstance(one, (Button, Label, Frame)):
            grids.setdefault(id(one.master), {})[one.at] = one
    best: dict[Any, Any] = {}
    for cells in grids.values():
        live = {at: one for at, one in cells.items() if one.options.get("command") or "click" in one.bound}
        rows, columns = (sorted({at[axis] for at in live}) for axis in (0, 1))
        full = len(live) == len(rows) * len(columns) and min(len(rows), len(columns)) >= FEWEST
        if full and len(live) > len(best):
            best = live
    rows, columns = (sorted({at[axis] for at in best}) for axis in (0, 1))
    return [[best[row, column] for column in columns] for row in rows]


def _show() -> None:
    """Print the board, before the program says who has won or ends: its last move may be seen nowhere else."""
    board = _board()
    canvas = next((one for one in _widgets if isinstance(one, Canvas) and one.visible and one.items), None)
    if board or canvas is not None:
        show([[one.sign for one in row] for row in board] if board else canvas.drawn().board())  # type: ignore[union-attr]


def _ask() -> None:
    """Print the window, and click on what is typed."""
    board, canvas = (
        _board(),
        next((one for one in _widgets if isinstance(one, Canvas) and one.visible and one.items), None),
    )
    cells = {id(one) for row in board for one in row}
    others = [one for one in _widgets if isinstance(one, Button) and one.visible and id(one) not in cells and one.text]
    for one in _widgets:
        if isinstance(one, Label) and one.visible and id(one) not in cells and len(one.text) > 2:
            print(one.text)
    others = [one for one in others if one.can_be_clicked()]
    drawn = canvas.drawn() if canvas is not None and not board else None
    if not board and drawn is None and not others:
        sys.exit()
    shown = [[one.sign for one in row] for row in board] if board else drawn.board() if drawn else []
    clicked = click(shown, [one.text for one in others])
    if len(clicked) == 1:
        others[clicked[0]].invoke()
    elif board:
        board[clicked[0]][clicked[1]].invoke()
    elif canvas is not None and drawn is not None:
        canvas.invoke(*drawn.middle(*clicked))


class Label(Widget):
    """A text or a picture."""


class Button(Widget):
    """Something to click on."""


Radiobutton = type("Radiobutton", (Button,), {})
Checkbutton = type("Checkbutton", (Button,), {})


class Frame(Widget):
    """A part of a window that others are in."""


LabelFrame = type("LabelFrame", (Frame,), {})


class PhotoImage:
    """A picture, known by its file."""

    def __init__(self, *_given: Any, file: Any = "", **_more: Any) -> None:
        self.file = str(file)

    def __str__(self) -> Any:
        return self.file

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_given, **_more: self


def mainloop(*_times: Any) -> None:
    """Take clicks until the window is closed."""
    if _windows:
        _windows[0].mainloop()


def _told(*words: Any, **more: Any) -> Any:
    _show()
    print(*words, *[more[name] for name in ("title", "message") if name in more], sep=": ")
    return "ok"


def _asked(*words: Any, **more: Any) -> Any:
    question = ": ".join([*map(str, words), *[str(more[name]) for name in ("title", "message") if name in more]])
    return input(f"{question} (y/n) ").strip().lower().startswith("y")


def _entered(*words: Any, **more: Any) -> Any:
    return input(": ".join([*map(str, words), str(more.get("prompt", ""))]) + " ")


_PARTS: dict[str, dict[str, Any]] = {
    "messagebox": {
        **dict.fromkeys(("showinfo", "showwarning", "showerror"), _told),
        **dict.fromkeys(("askyesno", "askokcancel", "askretrycancel"), _asked),
        "askquestion": lambda *words, **more: "yes" if _asked(*words, **more) else "no",
    },
    "simpledialog": {"askstring": _entered, "askinteger": lambda *words, **more: int(_entered(*words, **more))},
    "font": {},
    "ttk": {name: globals()[name] for name in ("Button", "Label", "Frame", "LabelFrame", "Radiobutton")},
    "constants": {},
    "filedialog": {},
}
for _name, _given in _PARTS.items():
    _part = types.ModuleType(f"tkinter.{_name}")
    vars(_part).update(__getattr__=lambda name: getattr(Nothing(), name), **_given)
    sys.modules[_part.__name__] = globals()[_name] = _part
_WORDS = (
    "LEFT RIGHT TOP BOTTOM CENTER BOTH NORMAL DISABLED END RAISED SUNKEN RIDGE GROOVE FLAT SOLID "
    "W E N S X Y NSEW YES NO"
)
globals().update({name: name.lower() for name in _WORDS.split()})
__all__ = [name for name in globals() if not name.startswith("_") and name not in ("sys", "types", "click", *_PARTS)]


def __getattr__(name: Any) -> Any:
    """Have every other name, for what only decorates the window."""
    return getattr(Nothing(), name)
