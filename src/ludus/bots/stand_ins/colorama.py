"""Stands in for the module of colours, and shows none."""


class _Colours:
    """Each colour is an empty text."""

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return ""


Fore = Back = Style = Cursor = _Colours()


def init(*_arguments: object, **_options: object) -> None:
    """Do nothing."""


deinit = reinit = just_fix_windows_console = init
