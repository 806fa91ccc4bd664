"""Stands in for a module of Windows, and is silent."""

SND_ALIAS = SND_ASYNC = SND_FILENAME = 0


def Beep(*_arguments: object) -> None:  # noqa: N802
    """Do nothing."""


PlaySound = MessageBeep = Beep
