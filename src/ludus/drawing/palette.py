"""The colours that mean the same in the terminal, in plots, on pages and on paper. Knows nothing that is drawn."""

ACCENTS = ("#f2753f", "#4aa8f0")
"""The colours of the two players: orange-red and blue, apart for every kind of colour vision, on dark and on light."""
TONES = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#8da0cb", "#b2df8a", "#bdbdbd", "#a6761d")
"""Ten colours of tiles for dark characters: they differ in lightness as well as in hue."""
LIGHT = {
    "paper": "#ffffff",
    "page": "#f5f6f8",
    "ink": "#1b2230",
    "soft": "#5a6473",
    "axis": "#98a1ad",
    "grid": "#e4e8ed",
    "alarm": "#b3261e",
}
"""What text, lines and grounds are drawn in on white: the only ones that paper sees."""
DARK = {
    "paper": "#171c23",
    "page": "#0e1217",
    "ink": "#e8ecf2",
    "soft": "#a2acb9",
    "axis": "#6c7683",
    "grid": "#2b323c",
    "alarm": "#ff8a80",
}
"""The same for those who read on dark."""
