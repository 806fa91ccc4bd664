"""Plots as SVG text: ratings with their intervals, who beats whom, lengths, times, win chances.

Pure functions of plain data. Knows no tournament, no file and no game; names are anybody's and are never trusted.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ludus.drawing.svg import Drawing, number, width_of
from ludus.messages import Message, render

if TYPE_CHECKING:
    Label = Message | str
    """A text to show: a message in the language of the plot, or a name as it is."""

WIDTH = 640
EDGE = 20
TOP = 62
"""Room for the title and the line below it."""
MOST_ROWS = 100
"""Entries that a plot with a row for each shows; it says how many there are beside them."""
MOST_NUMBERS = 60
"""Entries up to which the cells of a matrix hold their numbers."""
LEVELS = 20
"""Shades of a matrix without numbers."""
FEWEST_BARS = 8
"""Room that a histogram keeps though all values are the same."""
POINTS_SHOWN = 12
"""Values up to which each is drawn by itself rather than as a box."""


class Axis(NamedTuple):
    """Values from `low` to `high` along a line of pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    whole: bool = False
    """Nothing between two whole numbers has a meaning."""

    def at(self, value: float) -> float:
        """Return the place of a value; what is off the axis sits at its end."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        """Round values along the axis: powers of ten, or a step of 1, 2 or 5 times one."""
        if self.log:
            first, last = (math.log10(end) for end in (self.low, self.high))
            return [10.0**power for power in range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)]
        step = nice_step(max((self.high - self.low) / 6, float(self.whole)))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]


def nice_step(least: float) -> float:
    """Return the first of 1, 2, 5, 10, 20… (or of 0.1, 0.2, 0.5…) that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def reaching(low: float, high: float, start: float, end: float, *, whole: bool = False) -> Axis:
    """Return an axis that covers two values and ends at round ones."""
    if not low < high:
        low, high = low - 1, high + 1
    step = nice_step(max((high - low) / 6, float(whole)))
    return Axis(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, start, end, whole=whole)


def counting(most: float, start: float, end: float) -> Axis:
    """Return an axis for numbers of things."""
    return Axis(0, max(1, math.ceil(most * 1.05)), start, end, whole=True)


def seconds(value: float) -> str:
    """Return a time with its unit."""
    if 0 < value < 0.9995:
        return f"{value * 1000:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value:,.0f} s"


def counted(things: str, count: int) -> Message:
    """Return the message `1 game`, `2 games`; `things` is a key such as `plots.games`."""
    return Message(things, n=count, count=f"{count:,}")


def _opened(
    width: float, height: float, title: Label, subtitle: Label, language: str, description: Label | None = None
) -> Drawing:
    heading, below = render(title, language), render(subtitle, language)
    drawing = Drawing(width, height, heading, below if description is None else render(description, language))
    drawing.text(EDGE, 28, heading, "ink large")
    drawing.text(EDGE, 47, below, "soft small", room=width - 2 * EDGE)
    return drawing


def _across(
    drawing: Drawing, axis: Axis, top: float, bottom: float, unit: str, shown: Callable[[float], str] = "{:g}".format
) -> None:
    """Draw an axis along the bottom, with its grid and what it measures."""
    for tick in axis.ticks:
        drawing.line(axis.at(tick), top, axis.at(tick), bottom, "grid-line")
        drawing.text(axis.at(tick), bottom + 17, shown(tick), "soft small", "middle")
    drawing.line(axis.start, bottom, axis.end, bottom)
    drawing.text((axis.start + axis.end) / 2, bottom + 36, unit, "soft small", "middle")


def _upward(
    drawing: Drawing, axis: Axis, left: float, right: float, unit: str, shown: Callable[[float], str] = "{:g}".format
) -> None:
    """Draw an axis up the left side, with its grid and what it measures."""
    for tick in axis.ticks:
        drawing.line(left, axis.at(tick), right, axis.at(tick), "grid-line")
        drawing.text(left - 8, axis.at(tick) + 4, shown(tick), "soft small", "end")
    drawing.text(EDGE, axis.end - 10, unit, "soft small")


def _with_rest(note: Message, count: int) -> Message:
    """Add to a note how many rows are shown, where that is not all of them."""
    return Message("plots.first_of", note=note, shown=MOST_ROWS, count=count) if count > MOST_ROWS else note


def _row_height(count: int) -> int:
    return 26 if count <= 24 else 18


def _label_room(names: Iterable[str]) -> float:
    return min(190.0, max(width_of(name) for name in names) + 4)


def _signed(value: float) -> str:
    return f"{value:+g}" if value else "0"


def ratings(rows: Iterable[tuple[str, float, float, float]], *, language: str = "en") -> str:
    """Draw names with a value and its 95% interval each, in Elo, the highest first."""
    every = sorted(rows, key=lambda row: -row[1])
    shown = every[:MOST_ROWS]
    high = _row_height(len(shown))
    room = _label_room(name for name, *_ in shown)
    bottom = TOP + high * len(shown) + 6
    ends = [end for _, *values in shown for end in values if math.isfinite(end)]
    axis = reaching(min(ends, default=0), max(ends, default=0), EDGE + room + 16, WIDTH - EDGE - 92)
    note = _with_rest(Message("plots.elo_note"), len(every))
    drawing = _opened(WIDTH, bottom + 48, Message("plots.ratings"), note, language)
    _across(drawing, axis, TOP, bottom, "Elo", _signed)
    if axis.low < 0 < axis.high:
        drawing.line(axis.at(0), TOP, axis.at(0), bottom)
    for index, (name, value, least, most) in enumerate(shown):
        y = TOP + high * (index + 0.5)
        drawing.text(EDGE, y + 4, name, room=room)
        figures = {"value": f"{value:+.0f}", "low": f"{least:+.0f}", "high": f"{most:+.0f}"}
        words = render(Message("plots.rating_of", name=name, **figures), language)
        drawing.line(axis.at(least), y, axis.at(most), y, "soft-line thick", words)
        for end in (least, most):
            if math.isfinite(end):
                drawing.line(axis.at(end), y - 4, axis.at(end), y + 4, "soft-line thick")
        drawing.circle(axis.at(value), y, 5.5, "second paper-line thick", words)
        drawing.text(WIDTH - EDGE, y + 4, f"{value:+.0f} ±{(most - least) / 2:.0f}", "soft small", "end")
    return drawing.svg


def matrix(names: Sequence[str], shares: Sequence[Sequence[float | None]], *, language: str = "en") -> str:
    """Draw the score of each row's entry against each column's, 0 to 1; None where two have not met."""
    count = len(names)
    if count > MOST_NUMBERS:
        return _shaded_matrix(shares, language)
    cell = max(22.0, min(46.0, 460 / count))
    room = _label_room(names) + 28
    left, top = EDGE + room + 8, TOP + 34
    width = max(WIDTH, left + cell * count + EDGE)
    height = top + cell * count + 50
    drawing = _opened(width, height, Message("plots.matrix"), Message("plots.matrix_note"), language)
    drawing.text(left, top - 24, render(Message("plots.against"), language), "soft small")
    for row, name in enumerate(names):
        drawing.text(left + cell * (row + 0.5), top - 7, f"{row + 1}", "soft small", "middle")
        middle = top + cell * (row + 0.5) + 4
        drawing.text(EDGE + 20, middle, f"{row + 1}", "soft small", "end")
        drawing.text(EDGE + 28, middle, name, room=room - 28)
        for col, share in enumerate(shares[row]):
            place = left + cell * col + 1, top + cell * row + 1, cell - 2, cell - 2
            if row == col or share is None:
                drawing.rect(*place, "grid", radius=3, opacity=0.9 if row == col else 0.35)
                continue
            met = Message("plots.score_against", name=name, other=names[col], share=f"{share:.1%}")
            words = render(met, language)
            drawing.rect(*place, _side(share), radius=3, title=words, opacity=_strength(share))
            ink = "on" if _strength(share) > 0.5 else "ink"
            x, y = left + cell * (col + 0.5), top + cell * (row + 0.5) + 4
            drawing.text(x, y, f"{100 * share:.0f}", f"{ink} {'tiny' if cell < 30 else 'small'}", "middle")
    _legend(drawing, left, top + cell * count + 16, language)
    return drawing.svg


def _shaded_matrix(shares: Sequence[Sequence[float | None]], language: str) -> str:
    """Draw a large matrix in colours alone: one path for each shade, runs of equal cells as one stroke."""
    count = len(shares)
    cell = max(1.6, 720 / count)
    left, top = EDGE + 44, TOP + 24
    size = cell * count
    note = Message("plots.matrix_note_ranks")
    drawing = _opened(left + size + EDGE, top + size + 50, Message("plots.matrix"), note, language)
    drawing.rect(left, top, size, size, "grid", opacity=0.35)
    runs: dict[int, list[str]] = {}
    for row, cells in enumerate(shares):
        levels = [None if share is None or col == row else round(share * LEVELS) for col, share in enumerate(cells)]
        start = 0
        for col in range(1, count + 1):
            if col == count or levels[col] != levels[start]:
                if (level := levels[start]) is not None:
                    runs.setdefault(level, []).append(f"M{start} {row}h{col - start}")
                start = col
    turn = f' transform="translate({number(left)} {number(top + cell / 2)}) scale({cell:.4f})" stroke-width="1"'
    for level, steps in sorted(runs.items()):
        share = level / LEVELS
        faint = f'{turn} stroke-opacity="{number(_strength(share))}"'
        drawing.path("".join(steps), f"none {_side(share)}-line", f"{share:.0%}", faint)
    step = int(nice_step(count / 10))
    for rank in range(step, count + 1, step):
        drawing.text(left - 8, top + cell * (rank - 0.5) + 4, f"{rank}", "soft small", "end")
        drawing.text(left + cell * (rank - 0.5), top - 7, f"{rank}", "soft small", "middle")
    _legend(drawing, left, top + size + 16, language)
    return drawing.svg


def _side(share: float) -> str:
    return "second" if share >= 0.5 else "first"


def _strength(share: float) -> float:
    return 0.06 + 0.84 * abs(2 * share - 1)


def _legend(drawing: Drawing, x: float, y: float, language: str) -> None:
    """Explain the shades of a matrix: 0, 25, 50, 75 and 100%."""
    lost = render(Message("plots.lost"), language)
    drawing.text(x, y + 12, lost, "soft small")
    x += width_of(lost, 11) + 8
    for share in (0, 0.25, 0.5, 0.75, 1):
        drawing.rect(x, y, 24, 16, _side(share), radius=3, title=f"{share:.0%}", opacity=_strength(share))
        x += 27
    drawing.text(x + 5, y + 12, render(Message("plots.won"), language), "soft small")


def histogram(
    values: Sequence[float],
    title: Label,
    unit: Label,
    *,
    things: str = "plots.games",
    axis: str = "reports.games",
    limit: float | None = None,
    language: str = "en",
) -> str:
    """Draw how often values occur, with their median, and with a limit where there is one.

    `things` is the key of what is counted, `axis` that of its name at the axis.
    """
    whole = all(float(value).is_integer() for value in values)
    low, high = min(values, default=0), max(values, default=0)
    step = nice_step(max((high - low) / 24, 1 if whole else 1e-9))
    shift = 0.5 if whole and step == 1 else 0.0  # a bar for one number stands over it
    bars = Counter(math.floor(value / step + 1e-9) for value in values)
    first, last = math.floor(low / step + 1e-9), math.floor(high / step + 1e-9) + 1
    if last - first < FEWEST_BARS:
        first, last = max(first - FEWEST_BARS // 2, min(first, 0)), last + FEWEST_BARS // 2
    bottom = 268
    ends = (first - shift) * step, max((last - shift) * step, limit or -math.inf)
    across = Axis(*ends, EDGE + 44, WIDTH - EDGE, whole=whole)
    up = counting(max(bars.values(), default=1), bottom, TOP + 22)
    middle = statistics.median(values) if values else 0
    total = counted(things, len(values))
    figures = {"median": f"{middle:.4g}", "low": f"{low:.4g}", "high": f"{high:.4g}"}
    note = Message("plots.spread", counted=total, unit=unit, **figures) if values else total
    drawing = _opened(WIDTH, bottom + 52, title, note, language)
    _upward(drawing, up, across.start, across.end, render(Message(axis), language))
    for index, count in sorted(bars.items()):
        x, right, y = across.at((index - shift) * step), across.at((index + 1 - shift) * step), up.at(count)
        least, most = index * step, (index + 1) * step - whole
        span = f"{least:g}" if least == most else Message("plots.span", low=f"{least:g}", high=f"{most:g}")
        words = render(Message("plots.bar", span=span, unit=unit, counted=counted(things, count)), language)
        drawing.rect(x + 0.75, y, max(right - x - 1.5, 1), bottom - y, "second", radius=2, title=words)
    _across(drawing, across, bottom, bottom, render(unit, language))
    if values:
        _mark(
            drawing, across, middle, TOP + 16, bottom, Message("plots.median", value=f"{middle:.4g}"), "ink", language
        )
    if limit is not None:
        _mark(drawing, across, limit, TOP + 16, bottom, Message("plots.limit", value=f"{limit:g}"), "alarm", language)
    return drawing.svg


def _mark(
    drawing: Drawing, axis: Axis, value: float, top: float, bottom: float, label: Message, kind: str, language: str
) -> None:
    """Draw a dashed line across the plot, with its name on the side that has room."""
    words = render(label, language)
    x = axis.at(value)
    drawing.line(x, top, x, bottom, f"{kind}-line dashed")
    ahead = x + 6 + width_of(words, 11) < axis.end
    drawing.text(x + (5 if ahead else -5), top + 8, words, f"{kind} small", "start" if ahead else "end")


def times(
    rows: Mapping[str, Sequence[float]],
    unit: Label,
    *,
    limit: float | None = None,
    every: int = 1,
    language: str = "en",
) -> str:
    """Draw the seconds that each name took: the middle half as a box, 5% to 95% as a line, the longest as a ring.

    A few values are drawn one by one. `every` is given where only one game in that number was measured.
    """
    shown = dict(list(rows.items())[:MOST_ROWS])
    high, room = _row_height(len(shown)), _label_room(shown)
    top = TOP + (18 if limit else 0)
    bottom = top + high * len(shown) + 6
    axis = _time_axis([value for values in shown.values() for value in values], limit, EDGE + room + 16)
    few = all(len(values) <= POINTS_SHOWN for values in shown.values())
    note = _with_rest(Message("plots.dots_note" if few else "plots.boxes_note"), len(rows))
    if every > 1:
        note = Message("plots.sampled", note=note, every=every)
    described = Message("plots.described", unit=unit, note=note)
    drawing = _opened(WIDTH, bottom + 48, Message("plots.time_use"), note, language, described)
    along = Message("plots.log_axis", unit=unit) if axis.log else unit
    _across(drawing, axis, top, bottom, render(along, language), seconds)
    drawing.text(WIDTH - EDGE, top - 3, render(Message("plots.longest"), language), "soft small", "end")
    for index, (name, values) in enumerate(shown.items()):
        y = top + high * (index + 0.5)
        drawing.text(EDGE, y + 4, name, room=room)
        if values:
            _box(drawing, axis, y, name, sorted(values), language)
    if limit:
        _mark(drawing, axis, limit, TOP, bottom, Message("plots.limit", value=seconds(limit)), "alarm", language)
    return drawing.svg


def _time_axis(values: Sequence[float], limit: float | None, start: float) -> Axis:
    """Return an axis of seconds: by powers of ten where times differ by more than a factor of 50."""
    end = WIDTH - EDGE - 64
    most = max([*values, limit or 0.0, 1e-6])
    positive = [value for value in values if value > 0]
    least = min(positive, default=most)
    if most / least <= 50:
        return reaching(0, most, start, end)
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most * 1.05))
    return Axis(10.0**low, 10.0**high, start, end, log=True)


def _box(drawing: Drawing, axis: Axis, y: float, name: str, values: Sequence[float], language: str) -> None:
    """Draw one row of times, given in order."""
    middle, most = statistics.median(values), values[-1]
    taken = Message("plots.times_of", name=name, median=seconds(middle), longest=seconds(most))
    words = render(taken, language)
    if len(values) <= POINTS_SHOWN:
        for value in values:
            drawing.circle(axis.at(value), y, 4, "second", words, 0.55)
    else:
        five, quarter, three, last = (values[round(part * (len(values) - 1))] for part in (0.05, 0.25, 0.75, 0.95))
        drawing.line(axis.at(five), y, axis.at(last), y, "soft-line")
        wide = max(axis.at(three) - axis.at(quarter), 3)
        drawing.rect(axis.at(quarter), y - 6, wide, 12, "second", radius=2, title=words, opacity=0.75)
        drawing.circle(axis.at(most), y, 3.5, "paper soft-line", words)
    drawing.line(axis.at(middle), y - 8, axis.at(middle), y + 8, "ink-line thick", words)
    drawing.text(WIDTH - EDGE, y + 4, seconds(most) if most else "< 1 ms", "soft small", "end")


class Series(NamedTuple):
    """A named line of points; `side` gives it a player's colour and mark."""

    name: str
    points: Sequence[tuple[float, float]]
    side: int


def lines(
    series: Sequence[Series], across_unit: Label, up_unit: Label, *,
    up: tuple[float, float] | None = None, level: float | None = None, shown: Callable[[float], str] = "{:g}".format,
    title: Label | None = None, language: str = "en",
) -> str:  # fmt: skip
    """Draw lines of points over one axis: round marks for the first side, square ones and dashes for the second."""
    height, bottom, top = 340, 340 - 52, TOP + 44
    points = [point for one in series for point in one.points]
    flat, tall = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
    whole = all(float(x).is_integer() for x in flat)
    across = reaching(min(flat), max(flat), EDGE + 48, WIDTH - EDGE - 8, whole=whole)
    least, most = up or (min(tall), max(tall))
    upward = reaching(least, most, bottom, top)
    across_text = render(across_unit, language)
    note = Message("plots.over", up=up_unit, across=across_unit)
    drawing = _opened(WIDTH, height, title or Message("plots.win_chance"), note, language)
    _upward(drawing, upward, across.start, across.end, "", shown)
    _across(drawing, across, bottom, bottom, across_text)
    if level is not None:
        drawing.line(across.start, upward.at(level), across.end, upward.at(level))
    x = across.start
    for one in series:
        kind = ("first", "second")[one.side]
        places = [(across.at(a), upward.at(b)) for a, b in one.points]
        _line_mark(drawing, x + 5, TOP + 14, one.side, one.name)
        drawing.text(x + 16, TOP + 18, one.name, "ink small", room=220)
        x += min(width_of(one.name, 11), 220) + 48
        if places:
            steps = "M" + "L".join(f"{number(a)} {number(b)}" for a, b in places)
            drawing.path(steps, f"none {kind}-line thick" + (" dashed" if one.side else ""))
        for (a, b), (value_x, value_y) in zip(places, one.points, strict=True):
            _line_mark(drawing, a, b, one.side, f"{one.name}: {across_text} {value_x:g}, {shown(value_y)}")
    return drawing.svg


def _line_mark(drawing: Drawing, x: float, y: float, side: int, title: str) -> None:
    if side == 0:
        drawing.circle(x, y, 3.6, "first paper-line", title)
    else:
        drawing.rect(x - 3.3, y - 3.3, 6.6, 6.6, "second paper-line", title=title)
