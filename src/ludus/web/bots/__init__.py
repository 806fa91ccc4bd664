"""Bots on the page: submissions, checks, challenges, ladders, reports."""
