"""Plots: well-formed whatever the names are, numbers where they belong, fields of any size, and colours for paper."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.drawing import plots
from ludus.drawing.palette import DARK, LIGHT
from ludus.drawing.svg import safe, shortened, width_of

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert('x')</script>&\"\x00\x1b\u202e\ud800"


def read(svg: str) -> ElementTree.Element:
    svg.encode("utf-8")
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "line", "circle", "path", "text"}
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    for element in root.iter():
        for name in set(element.attrib) & {"x", "y", "cx", "cy", "r", "x1", "x2", "y1", "y2", "width", "height"}:
            assert math.isfinite(float(element.attrib[name]))
    return root


def words(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def titles(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}title")]


def of_kind(root: ElementTree.Element, tag: str, kind: str) -> Iterator[ElementTree.Element]:
    return (found for found in root.iter(f"{SVG}{tag}") if kind in found.get("class", "").split())


def every_plot(name: str) -> list[str]:
    return [
        plots.ratings([(name, 10, -5, 25), ("B", -10, -25, 5)]),
        plots.matrix([name, "B"], [[None, 0.75], [0.25, None]]),
        plots.histogram([1, 2, 3], name, name, limit=4),
        plots.times({name: [0.1, 0.2], "B": [5.0]}, name, limit=9, every=3),
        plots.lines([plots.Series(name, [(0, 0.5), (2, 0.9)], 0), plots.Series("B", [(1, 0.4)], 1)], name, name),
    ]


@given(st.text(st.characters(), max_size=60))
def test_any_name_is_only_text(name: str) -> None:
    for svg in every_plot(name):
        read(svg)


def test_a_hostile_name_is_shown_as_it_is() -> None:
    for svg in every_plot(HOSTILE):
        read(svg)
        assert "<script" not in svg
    assert "alert('x')" in "".join(titles(read(plots.ratings([(HOSTILE, 0, -1, 1)]))))
    assert safe("a\u202eb\x00<&>\"'") == "a\ufffdb\ufffd&lt;&amp;&gt;&quot;&#x27;"


def test_ratings_are_sorted_and_their_intervals_drawn_to_scale() -> None:
    root = read(plots.ratings([("weak", -100.0, -150.0, -50.0), ("strong", 100.0, 60.0, 140.0)]))
    shown = words(root)
    assert shown.index("strong") < shown.index("weak")
    assert "+100 ±40" in shown
    assert "-100 ±50" in shown
    dots = [float(dot.attrib["cx"]) for dot in of_kind(root, "circle", "second")]
    spans = [(float(line.attrib["x1"]), float(line.attrib["x2"])) for line in of_kind(root, "line", "thick")]
    wide = [span for span in spans if span[0] != span[1]]
    assert dots[0] > dots[1]
    assert [left < dot < right for (left, right), dot in zip(wide, dots, strict=True)] == [True, True]
    a_point = (dots[0] - dots[1]) / 200
    assert [right - left for left, right in wide] == pytest.approx([80 * a_point, 100 * a_point], abs=0.05)


def test_an_interval_without_end_stays_on_the_paper() -> None:
    root = read(plots.ratings([("undefeated", 300.0, 100.0, math.inf), ("other", 0.0, -50.0, 50.0)]))
    assert max(float(line.attrib["x2"]) for line in root.iter(f"{SVG}line")) <= plots.WIDTH


def test_the_matrix_says_who_beats_whom() -> None:
    root = read(plots.matrix(["A", "B", "C"], [[None, 0.75, None], [0.25, None, 1.0], [None, 0.0, None]]))
    assert {"A against B: 75.0%", "B against A: 25.0%", "B against C: 100.0%", "C against B: 0.0%"} <= set(titles(root))
    assert [word for word in words(root) if word in {"0", "25", "75", "100"}] == ["75", "25", "100", "0"]
    assert {"against", "won", "lost"} <= set(words(root))
    sides = {cell[0].text: cell.get("class") for cell in root.iter(f"{SVG}rect") if len(cell)}
    assert sides["A against B: 75.0%"] == "second"
    assert sides["C against B: 0.0%"] == "first"


@pytest.mark.parametrize("count", [2, 60, 61, 200, 500])
def test_fields_of_any_size(count: int) -> None:
    rng = random.Random(count)
    names = [f"player {index}" for index in range(count)]
    cells = [[None if i == j else rng.choice((0.0, 0.5, 1.0)) for j in range(count)] for i in range(count)]
    svg = plots.matrix(names, cells)
    root = read(svg)
    assert len(svg) < 3_000_000
    assert float(root.attrib["width"]) < 1600
    assert bool(list(of_kind(root, "text", "on"))) == (count <= plots.MOST_NUMBERS)
    rated = read(plots.ratings([(name, float(i), i - 50.0, i + 50.0) for i, name in enumerate(names)]))
    assert len(list(of_kind(rated, "circle", "second"))) == min(count, plots.MOST_ROWS)
    assert float(rated.attrib["height"]) < 2500
    if count > plots.MOST_ROWS:
        assert any(f"the first {plots.MOST_ROWS} of {count}" in word for word in words(rated))
    read(plots.times({name: [rng.random() for _ in range(20)] for name in names}, "seconds"))


def test_a_large_matrix_shows_every_meeting_once() -> None:
    count = 100
    cells = [[None if i == j else float(i < j) for j in range(count)] for i in range(count)]
    root = read(plots.matrix([str(i) for i in range(count)], cells))
    covered = {}
    for path in root.iter(f"{SVG}path"):
        runs = re.findall(r"M(\d+) (\d+)h(\d+)", path.attrib["d"])
        covered[path[0].text] = {(int(row), int(at) + step) for at, row, wide in runs for step in range(int(wide))}
    assert covered["100%"] == {(i, j) for i in range(count) for j in range(count) if i < j}
    assert covered["0%"] == {(i, j) for i in range(count) for j in range(count) if i > j}


def test_a_histogram_counts_and_marks_median_and_limit() -> None:
    root = read(plots.histogram([3, 3, 4, 7], "Game lengths", "moves", limit=9))
    assert {"3 moves: 2 games", "4 moves: 1 game", "7 moves: 1 game"} <= set(titles(root))
    assert {"median 3.5", "limit 9"} <= set(words(root))
    bars = {bar[0].text: float(bar.attrib["height"]) for bar in root.iter(f"{SVG}rect") if len(bar)}
    assert bars["3 moves: 2 games"] == pytest.approx(2 * bars["4 moves: 1 game"], abs=0.02)
    assert "Nothing" in words(read(plots.histogram([], "Nothing", "moves")))
    assert "7 moves: 1 game" in titles(read(plots.histogram([7], "One", "moves")))
    assert not [word for word in words(read(plots.histogram([1, 2], "Short", "moves"))) if word[:1] in "-−"]


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=60))
def test_a_histogram_counts_every_value(values: list[int]) -> None:
    counts = [
        re.fullmatch(r".* moves: ([\d,]+) games?", title)
        for title in titles(read(plots.histogram(values, "", "moves")))
    ]
    assert sum(int(count[1].replace(",", "")) for count in counts if count) == len(values)


def test_times_stand_before_their_limit() -> None:
    root = read(plots.times({"fast": [0.001] * 20, "slow": [0.9] * 20, "none": []}, "seconds", limit=1))
    limit = next(float(line.attrib["x1"]) for line in of_kind(root, "line", "alarm-line"))
    boxes = [float(box.attrib["x"]) for box in of_kind(root, "rect", "second")]
    assert boxes[0] < boxes[1] < limit
    assert {"limit 1 s", "1 ms", "900 ms", "fast", "slow", "none"} <= set(words(root))


def test_win_chances_have_a_colour_and_a_mark_for_each_side() -> None:
    series = [plots.Series("me", [(0, 0.5), (2, 0.75)], 0), plots.Series("you", [(1, 0.25)], 1)]
    root = read(plots.lines(series, "ply", "win chance", up=(0, 1), shown="{:.0%}".format))
    assert len(list(of_kind(root, "circle", "first"))) == 3  # two points and the legend
    assert len(list(of_kind(root, "rect", "second"))) == 2
    assert {"me: ply 2, 75%", "you: ply 1, 25%"} <= set(titles(root))
    assert {"0%", "100%", "ply", "me", "you"} <= set(words(root))
    assert "0.5" not in words(root), "there is no half move"


def test_the_drawing_is_light_without_a_media_query() -> None:
    style = next(read(plots.histogram([1], "One", "moves")).iter(f"{SVG}style")).text or ""
    light, query, dark = style.partition("@media (prefers-color-scheme:dark)")
    assert query
    assert all(colour in light for colour in LIGHT.values())
    assert not any(colour in light for colour in DARK.values())
    assert all(colour in dark for colour in DARK.values())
    assert "var(" not in style


def test_long_names_are_shortened_and_whole_in_the_title() -> None:
    name = "a name that goes on and on and on and on and on"
    root = read(plots.ratings([(name, 0, -1, 1)]))
    assert name not in words(root)
    assert name in titles(root)
    assert shortened("棋" * 20, 100).endswith("…")
    assert width_of("棋" * 20) > width_of("a" * 20)


@given(st.floats(1e-9, 1e9))
def test_steps_are_round(least: float) -> None:
    step = plots.nice_step(least)
    assert least * (1 - 1e-6) <= step <= least * 2.6
    assert f"{step:e}"[0] in "125"
