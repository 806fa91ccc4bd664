"""The web arena: play and watch games in a browser. A thin front: no rule, no rating and no SQL in it.

`app` puts it together; `matches` keeps the games that are played; `pictures` says what a page has to draw;
`workers` think apart from the server, and `tasks` is what they do; `guard` stands before everything.
"""
