"""Pictures made of pixels: their size, their frames, what is drawn on them."""

from __future__ import annotations

import io

import pytest
from PIL import Image

import ludus
from ludus.drawing.boards import SHAPES, Shape
from ludus.drawing.pictures import gif, icon, png
from ludus.play.pictures import drawing, drawings, frames

STATE = ludus.game("connect-four").initial()


def image(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def test_a_picture_fits_its_room_and_keeps_its_form() -> None:
    narrow, wide = (image(png(drawing(STATE), *room)) for room in ((200, 2000), (2000, 200)))
    assert narrow.width == 200
    assert wide.height <= 201
    assert abs(narrow.width / narrow.height - wide.width / wide.height) < 0.02


def test_every_colour_of_a_shape_is_drawn_in_its_colour() -> None:
    for colour, code in SHAPES.items():
        wanted = tuple(int(code[at : at + 2], 16) for at in (1, 3, 5))
        for cells in (((2, 2),), ((1, 1), (4, 5))):
            drawn = image(png(drawing(STATE, shapes=[Shape(cells, colour)]))).convert("RGB")
            plain = image(png(drawing(STATE))).convert("RGB")
            assert sum(pixel == wanted for pixel in drawn.get_flattened_data()) > 100
            assert not any(pixel == wanted for pixel in plain.get_flattened_data())


def test_a_gif_has_a_frame_for_each_position() -> None:
    moving = image(gif(drawings((STATE, STATE.legal_moves[:3]))))
    assert moving.n_frames == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "count", "most"), [("connect-four", 42, 43), ("fruit-rage", 400, 46), ("cantris", 500, 121)]
)
def test_long_games_and_large_boards_have_a_bounded_number_of_frames(name: str, count: int, most: int) -> None:
    start = ludus.game(name, **({"size": 26} if name == "fruit-rage" else {})).initial()
    shown = frames((start, ("?",) * count))
    assert shown[0] == 0
    assert shown[-1] == count
    assert shown == sorted(set(shown))
    assert most / 2 < len(shown) <= most


def test_an_icon_has_room_around_it_where_a_system_cuts_a_form_out_of_it() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#ff0000"/></svg>'
    plain, masked = (image(icon(svg, 64, ground)).convert("RGB") for ground in (None, "#0000ff"))
    assert plain.getpixel((1, 1)) == (255, 0, 0)
    assert masked.getpixel((1, 1)) == (0, 0, 255)
    assert masked.getpixel((32, 32)) == (255, 0, 0)
