"""Playing a game: the match and its referee, clocks, records, openings."""
