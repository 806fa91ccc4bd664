"""Matches on the page: live games, their moves, who may do what."""
