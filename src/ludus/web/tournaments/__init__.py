"""Tournaments on the page."""
