"""Courses on the page."""
