"""Boards and plots: as text, as SVG, and the colours that they share."""
