"""Moves as numbers, positions as arrays, and the symmetries of a board: what programs that learn read and write.

Knows texts, numbers and arrays; what they mean in a game is the game's own. NumPy is imported only where an array is
asked for, since most programs need none.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, SupportsIndex, TypeVar

from ludus.errors import UserError

if TYPE_CHECKING:
    from types import ModuleType

    from numpy import float32, int64
    from numpy.typing import NDArray


def needed(module: str) -> ModuleType:
    """Import a module of the extra `research`; where it is missing, say so in one sentence."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if module.partition(".")[0] != str(error.name).partition(".")[0]:
            raise
        raise UserError("rules.needs_research", package=module.partition(".")[0]) from None


class Actions:
    """The moves of a game as numbers from 0, each with one meaning in all its states."""

    def __init__(self, game: str, texts: Sequence[str]) -> None:
        self.game = game
        self.texts = tuple(texts)
        """The text of each action, in their order."""
        self._numbers = {text: number for number, text in enumerate(self.texts)}

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __contains__(self, text: object) -> bool:
        return text in self._numbers

    def __getitem__(self, number: SupportsIndex) -> str:
        return self.text(number)

    def __repr__(self) -> str:
        return f"<{len(self)} actions of {self.game}: {self.texts[0]} to {self.texts[-1]}>"

    def text(self, number: SupportsIndex) -> str:
        """Return the move text of an action."""
        index = operator.index(number)
        if not 0 <= index < len(self.texts):
            raise UserError("rules.no_action_number", game=self.game, number=index, last=len(self.texts) - 1)
        return self.texts[index]

    def number(self, text: str) -> int:
        """Return the action of a move text."""
        if text not in self._numbers:
            first, last = self.texts[0], self.texts[-1]
            raise UserError("rules.no_action_text", game=self.game, text=repr(text), first=first, last=last)
        return self._numbers[text]


class HasActions(Protocol):
    """A game, as far as a symmetry knows it."""

    @property
    def actions(self) -> Actions:
        """Return its moves as numbers."""


class HasImages(Protocol):
    """A state, as far as a symmetry knows it."""

    @property
    def game(self) -> HasActions:
        """Return its game."""

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """Return the legal moves as numbers."""

    @property
    def images(self) -> Sequence[Self]:
        """Return the state under each symmetry but the identity."""

    def move_name(self, move: str) -> str:
        """Return the name of a legal move that is written in any allowed way."""


Imaged = TypeVar("Imaged", bound=HasImages)


class Symmetry(NamedTuple):
    """A way to lay a board upon itself that the rules do not notice: a mirror, a turn."""

    name: str
    actions: tuple[int, ...]
    """Where each action goes. In The Fruit Rage a mirrored move may have another name: `permutation` has that one."""
    mirror: bool = False
    """Whether left and right are swapped."""
    flip: bool = False
    """Whether top and bottom are swapped then."""
    transpose: bool = False
    """Whether rows and columns are swapped at last."""
    place: int = 0
    """Its place among the symmetries of the game; the identity is the first."""

    def state(self, state: Imaged) -> Imaged:
        """Return the image of a state."""
        return state.images[self.place - 1] if self.place else state

    def planes(self, planes: NDArray[float32]) -> NDArray[float32]:
        """Return the image of planes, of one state or of many: the last two axes are the board's."""
        planes = planes[..., ::-1] if self.mirror else planes
        planes = planes[..., ::-1, :] if self.flip else planes
        return planes.swapaxes(-1, -2) if self.transpose else planes

    def permutation(self, state: HasImages) -> NDArray[int64]:
        """Return where each action of a state goes in its image, so that legal actions become legal ones."""
        import numpy as np  # noqa: PLC0415 - only for arrays

        goes = np.array(self.actions, dtype=np.int64)
        image, actions = self.state(state), state.game.actions
        legal = set(image.legal_actions)
        for action in state.legal_actions:
            there = int(goes[action])
            if there not in legal:
                name = actions.number(image.move_name(actions.text(there)))
                goes[goes == name], goes[action] = there, name
        return goes

    def policy(self, state: HasImages, policy: NDArray[Any]) -> NDArray[Any]:
        """Return numbers that belong to the actions of a state as they belong to those of its image."""
        image = policy.copy()
        image[..., self.permutation(state)] = policy
        return image


SYMMETRY_NAMES = {
    (False, False, False): "identity",
    (True, False, False): "mirror",
    (False, True, False): "flip",
    (True, True, False): "half-turn",
    (False, False, True): "transpose",
    (True, False, True): "left-turn",
    (False, True, True): "right-turn",
    (True, True, True): "anti-transpose",
}
"""By what is swapped: left and right, then top and bottom, then rows and columns."""


def identity(actions: int) -> Symmetry:
    """Return the symmetry that every board has."""
    return Symmetry("identity", tuple(range(actions)))


def planes_of_marks(text: str, marks: Sequence[str], side: int) -> NDArray[float32]:
    """Return a plane for each mark of a board field, and one that is 1 for the second side."""
    needed("numpy")
    import numpy as np  # noqa: PLC0415 - only for arrays

    cells = np.array([list(row) for row in text.partition(" ")[0].split("/")])
    planes = [cells == mark for mark in marks] + [np.full(cells.shape, bool(side))]
    return np.stack(planes).astype(np.float32)
