"""The web server: play and watch games in a browser. A thin front: no rule, no rating and no SQL in it.

`app` puts it together, `services` holds what requests share, and `views` is what pages draw. Each concern has a folder:
`accounts`, `matches`, `analysis`, `bots`, `tournaments`, `courses`, `jobs` (work in other processes) and `http`.
"""
