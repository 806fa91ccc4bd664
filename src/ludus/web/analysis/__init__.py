"""The analysis page: positions, reviews of games, the explorer."""
