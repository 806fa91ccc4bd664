"""People on the page: their own games, and what their profiles show to others."""
