"""How strong players are, and how sure that is: ratings, statistics, the challenge ladder."""
