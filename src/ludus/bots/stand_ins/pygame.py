"""Stands in for pygame, so that a program with a window can be played in a terminal (see `ludus_window.py`).

What only decorates the window does nothing, and no clock waits.
"""

import atexit
import sys
import time as _time
import types
from typing import Any

from ludus_window import Drawing, Nothing, click, show  # type: ignore[import-not-found]  # it is beside this file there

POLLS = 3
"""Times that a program may look for events in vain, so that it can move first, before a click is asked for."""
QUIT, KEYDOWN, KEYUP, MOUSEMOTION, MOUSEBUTTONDOWN, MOUSEBUTTONUP, USEREVENT = 256, 768, 769, 1024, 1025, 1026, 32768


class Rect:
    """A rectangle, with the names of its edges and its middle."""

    def __init__(self, *given: Any) -> None:
        while len(given) == 1:
            given = tuple(given[0])
        if len(given) == 2:
            given = (*given[0], *given[1])
        self.x, self.y, self.w, self.h = given

    def __iter__(self) -> Any:
        return iter((self.x, self.y, self.w, self.h))

    def __getitem__(self, place: Any) -> Any:
        return tuple(self)[place]

    def __getattr__(self, name: Any) -> Any:
        """Compute an edge or a corner; `centerx` and the like too."""
        x, y, w, h = (self.__dict__[part] for part in "xywh")
        across = {"left": x, "right": x + w, "centerx": x + w // 2, "width": w}
        down = {"top": y, "bottom": y + h, "centery": y + h // 2, "height": h}
        if name in across or name in down:
            return across.get(name, down.get(name))
        corners = {"center": (across["centerx"], down["centery"]), "size": (w, h)}
        corners |= {f"{a}{b}": (across[b], down[a]) for a in ("top", "bottom") for b in ("left", "right")}
        corners |= {f"mid{a}": (across["centerx"], down[a]) for a in ("top", "bottom")}
        corners |= {f"mid{b}": (across[b], down["centery"]) for b in ("left", "right")}
        if name not in corners:
            raise AttributeError(name)
        return corners[name]

    def __setattr__(self, name: Any, value: Any) -> None:
        """Move the rectangle where one of its names is set."""
        place = {"left": ("x", 0), "right": ("x", 1), "centerx": ("x", 0.5), "top": ("y", 0), "bottom": ("y", 1)}
        if name in ("x", "y", "w", "h"):
            self.__dict__[name] = value
        elif name in ("width", "height"):
            self.__dict__[name[0]] = value
        elif name in place or name == "centery":
            axis, part = place.get(name, ("y", 0.5))
            self.__dict__[axis] = value - int(part * self.__dict__["w" if axis == "x" else "h"])
        else:
            now = getattr(self, name)
            self.x, self.y = self.x + value[0] - now[0], self.y + value[1] - now[1]

    def collidepoint(self, *point: Any) -> Any:
        """Return whether a point is inside."""
        x, y = point[0] if len(point) == 1 else point
        return self.x <= x < self.x + self.w and self.y <= y < self.y + self.h

    def inflate(self, x: Any, y: Any) -> Any:
        """Return a larger rectangle around the same middle."""
        return Rect(self.x - x // 2, self.y - y // 2, self.w + x, self.h + y)

    def move(self, x: Any, y: Any) -> Any:
        """Return the rectangle elsewhere."""
        return Rect(self.x + x, self.y + y, self.w, self.h)


class Surface(Drawing):  # type: ignore[misc]
    """A window, a picture, or a text that was drawn."""

    def __init__(self, size: Any = (0, 0), *_flags: Any, look: Any = None, text: Any = "", **_more: Any) -> None:
        super().__init__(size)
        self.look, self.text = look, text

    def fill(self, color: Any, rect: Any = None, *_more: Any, **_other: Any) -> None:
        """Paint the whole surface, or a part of it."""
        self.paint(tuple(rect) if rect else (0, 0, *self.size), _look(color), "ground")
        self.look = self.look or _look(color)

    def blit(self, other: Any, place: Any = (0, 0), *_more: Any, **_other: Any) -> None:
        """Draw a picture, a text, or another surface with all that is on it."""
        x, y = tuple(place)[:2]
        if other.text:
            self.paint((x, y, *other.size), other.text, "text")
            return
        whole = other.size[0] >= self.size[0] / 2
        self.paint((x, y, *other.size), other.look, "ground" if whole else "piece")
        for (ox, oy, w, h), look, kind in other.shapes if whole else ():
            self.paint((x + ox, y + oy, w, h), look, kind)

    def get_rect(self, **edges: Any) -> Any:
        """Return the rectangle of the surface, put where its edges are said to be."""
        rect = Rect(0, 0, *self.size)
        for name, value in edges.items():
            setattr(rect, name, value)
        return rect

    def get_size(self) -> Any:
        """Return width and height."""
        return self.size

    def get_width(self) -> Any:
        """Return the width."""
        return self.size[0]

    def get_height(self) -> Any:
        """Return the height."""
        return self.size[1]

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("convert", "convert_alpha", "copy", "subsurface"):
            return lambda *_given: self
        return Nothing()


def _look(color: Any) -> Any:
    return tuple(color)[:3] if isinstance(color, (list, tuple)) else str(color)


def Color(*given: Any) -> Any:  # noqa: N802 - as the library names it
    """Return a colour as it is named."""
    return given[0] if len(given) == 1 else given


class _Window:
    """The window, the mouse, and what a person does with them."""

    def __init__(self) -> None:
        self.screen, self.at, self.pressed = Surface((800, 800)), (0, 0), False
        self.waiting: list[Event] = []
        self.polls, self.moved = 0, False

    def ask(self) -> None:
        """Print the window, and take a click."""
        texts = self.screen.texts()
        clicked = click(self.screen.board(), [text for text, _ in texts])
        if len(clicked) == 1:
            x, y, w, h = texts[clicked[0]][1]
            self.at = int(x + w / 2), int(y + h / 2)
        else:
            self.at = self.screen.middle(*clicked)
        self.pressed = True
        self.waiting = [Event(kind, pos=self.at, button=1) for kind in (MOUSEBUTTONDOWN, MOUSEBUTTONUP)]

    def look(self) -> None:
        """Let a program look for events; where it has done so in vain for a while, ask for a click."""
        self.pressed = any(one.type == MOUSEBUTTONDOWN for one in self.waiting)
        if not self.waiting:
            self.polls += 1
            if self.polls > POLLS and not self.moved:  # some move at any event
                self.waiting, self.moved = [Event(MOUSEMOTION, pos=self.at, rel=(0, 0), buttons=(0, 0, 0))], True
                self.polls = 0
            elif self.polls > POLLS:
                self.ask()
                self.polls, self.moved = 0, False

    def events(self) -> Any:
        """Return what happened."""
        self.look()
        happened, self.waiting = self.waiting, []
        return happened

    def poll(self) -> Any:
        """Return the next event, or one of no kind."""
        self.look()
        return self.waiting.pop(0) if self.waiting else Event(0)

    def wait(self) -> Any:
        """Return the next event."""
        if not self.waiting:
            self.ask()
        return self.waiting.pop(0)

    def set_mode(self, size: Any = (800, 800), *_flags: Any, **_more: Any) -> Any:
        """Open the window."""
        self.screen = Surface(size)
        return self.screen


class Event:
    """Something that happened."""

    def __init__(self, kind: Any, given: Any = (), **more: Any) -> None:
        self.type = kind
        self.__dict__.update(given, **more)

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return 0


_window = _Window()
atexit.register(lambda: show(_window.screen.board()))  # the last move, after which a program may only say who has won


def _around(points: Any) -> Any:
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def _rect(surface: Any, color: Any, rect: Any, width: Any = 0, *_more: Any, **_other: Any) -> Any:
    rect = tuple(Rect(rect))
    surface.paint(rect, _look(color), "line" if width else "ground")
    return Rect(rect)


def _circle(surface: Any, color: Any, center: Any, radius: Any, *_more: Any, **_other: Any) -> Any:
    rect = center[0] - radius, center[1] - radius, 2 * radius, 2 * radius
    surface.paint(rect, _look(color), "piece")
    return Rect(rect)


def _polygon(surface: Any, color: Any, points: Any, *_more: Any, **_other: Any) -> None:
    surface.paint(_around(points), _look(color), "piece")


def _ellipse(surface: Any, color: Any, rect: Any, *_more: Any, **_other: Any) -> None:
    surface.paint(tuple(Rect(rect)), _look(color), "piece")


def _line(surface: Any, color: Any, *_more: Any, **_other: Any) -> None:
    surface.paint((0, 0, 0, 0), _look(color), "line")


class Font:
    """Letters of a size."""

    def __init__(self, _name: Any = None, size: Any = 20, *_more: Any, **_other: Any) -> None:
        self.height = int(size)

    def render(self, text: Any, *_more: Any, **_other: Any) -> Any:
        """Return a text as a surface."""
        return Surface(self.size(text), text=str(text) or " ")

    def size(self, text: Any) -> Any:
        """Return the width and height of a text, about."""
        return len(str(text)) * self.height // 2, self.height

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Clock:
    """A clock that never waits."""

    def tick(self, *_rate: Any) -> Any:
        """Return that no time has passed."""
        return 0

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


def _load(name: Any, *_more: Any) -> Any:
    return Surface((64, 64), look=str(name))


def _scaled(surface: Any, size: Any, *_more: Any) -> Any:
    made = Surface(size, look=surface.look, text=surface.text)
    made.shapes = surface.shapes
    return made


_LOCALS: dict[str, Any] = {
    name: value for name, value in globals().items() if name.isupper() and isinstance(value, int)
}
_LOCALS |= {"Rect": Rect, "Color": Color, "K_ESCAPE": 27, "K_RETURN": 13, "K_SPACE": 32, "K_r": 114, "K_q": 113}
_PARTS: dict[str, dict[str, Any]] = {
    "locals": _LOCALS,
    "display": {"set_mode": _window.set_mode, "get_surface": lambda: _window.screen},
    "event": {"get": lambda *_kinds: _window.events(), "poll": _window.poll, "wait": _window.wait, "Event": Event},
    "mouse": {"get_pos": lambda: _window.at, "get_pressed": lambda *_of: (_window.pressed, False, False)},
    "draw": {"rect": _rect, "circle": _circle, "polygon": _polygon, "ellipse": _ellipse, "line": _line},
    "gfxdraw": {
        "filled_circle": lambda surface, x, y, radius, color: _circle(surface, color, (x, y), radius),
        "aacircle": lambda *_given: None,
        "box": lambda surface, rect, color: _rect(surface, color, rect),
    },
    "font": {"Font": Font, "SysFont": Font, "init": lambda: None, "get_default_font": lambda: ""},
    "image": {"load": _load},
    "transform": {"scale": _scaled, "smoothscale": _scaled},
    "time": {"Clock": Clock, "get_ticks": lambda: int(_time.monotonic() * 1000)},
}
for _name in (*_PARTS, "mixer", "key", "sprite", "freetype"):
    _part = types.ModuleType(f"pygame.{_name}")
    vars(_part).update(__getattr__=lambda name: getattr(Nothing(), name), **_PARTS.get(_name, {}))
    sys.modules[_part.__name__] = globals()[_name] = _part
globals().update(_LOCALS)
vars(sys.modules["pygame.locals"])["__all__"] = [*_LOCALS]
error = RuntimeError


def init() -> Any:
    """Return that all parts are there."""
    return 6, 0


def __getattr__(name: Any) -> Any:
    """Have every other name, for what only decorates the window."""
    return getattr(Nothing(), name)
