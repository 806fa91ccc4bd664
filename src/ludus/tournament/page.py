"""A tournament as one HTML page: no script, no network, light and dark, from a phone to a wide screen.

Draws only what results.json holds, the list of games, and plots that it is given. Every text goes through `safe`. The
page is well-formed XML too, so that a test can read all of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ludus.drawing.palette import ACCENTS, DARK, LIGHT
from ludus.drawing.plots import seconds
from ludus.drawing.svg import FONTS, safe
from ludus.files import read_text
from ludus.said import entry_names, player_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Plain = Mapping[str, Any]

MOST_CROSSED = 40
"""Entries up to which there is a cross table, and the standings stand there in full length."""
MOST_FLAT = 30
"""Pairings up to which the list of games has no rounds."""
MOST_LISTED = 20_000
"""Games up to which the page lists them."""

LOOK = Path(__file__).with_name("page.css")


def counted(count: int, thing: str) -> str:
    """Return `1 game`, `2 games`."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def _style() -> str:
    """Give the colours for light and for dark, and the rules that use them."""
    shared = {"first": ACCENTS[0], "second": ACCENTS[1], "fonts": FONTS}
    light, dark = ("".join(f"--{name}:{value};" for name, value in one.items()) for one in ({**shared, **LIGHT}, DARK))
    return f":root{{{light}}}\n@media (prefers-color-scheme: dark){{:root{{{dark}}}}}\n{read_text(LOOK)}"


def page(said: Plain, games: Sequence[Plain], plots: Mapping[str, str]) -> str:
    """Give the page of a tournament from its results, the rows of its games and its plots."""
    said, games = _named(said, games)
    parts = (
        _head(said), _standings(said), _bracket(plots), _plots(plots), _cross_table(said), _failures(said),
        _games(said, games), _files(),
    )  # fmt: skip
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{safe(said['name'])}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _named(said: Plain, games: Sequence[Plain]) -> tuple[Plain, Sequence[Plain]]:
    """Call entries that have no name of their own as their players are called."""
    called = entry_names({line["entry"]: line["player"] for line in said["standings"]})
    if all(entry == name for entry, name in called.items()):
        return said, games

    def seats(rows: Iterable[Plain]) -> list[Plain]:
        return [{**row, "first": called[row["first"]], "second": called[row["second"]]} for row in rows]

    standings: list[Plain] = []
    for line in said["standings"]:
        own = line["entry"] == line["player"]
        named = {**line, "entry": called[line["entry"]], "player": called[line["entry"]] if own else line["player"]}
        standings.append({**named, "explanation": _explained(named, standings[-1] if standings else None)})
    failures = [{**line, "entry": called[line["entry"]]} for line in said["failures"]]
    return {**said, "standings": standings, "failures": failures, "met": seats(said["met"])}, seats(games)


def _explained(line: Plain, above: Plain | None) -> str:
    """Say what put an entry below the one before it."""
    by = line["decided_by"]
    if above is None:
        return f"{line['entry']} leads"
    if not by:
        return f"{line['entry']} shares rank {line['rank']} with {above['entry']}: nothing tells them apart"
    if by == "rating":
        return str(line["explanation"])
    mine, theirs = line["criteria"][by], above["criteria"][by]
    return f"{line['entry']} is behind {above['entry']} on {by}: {mine} against {theirs}"


def _section(title: str, *inside: str) -> str:
    return f"<section>\n<h2>{safe(title)}</h2>\n" + "\n".join(inside) + "\n</section>"


def _table(heads: Iterable[tuple[str, str]], rows: Iterable[str], kind: str = "") -> str:
    """Put rows under headings, each given as its class and its words."""
    head = "".join(f"<th{_class(kind_)}>{safe(words)}</th>" for kind_, words in heads)
    return f"<table{_class(kind)}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _cell(words: str, kind: str = "") -> str:
    return f"<td{_class(kind)}>{words}</td>"


def _head(said: Plain) -> str:
    options = ", ".join(f"{name}={value}" for name, value in said["format_options"].items())
    board = ", ".join(f"{name}={value}" for name, value in said["options"].items())
    facts = {
        "Game": f"{safe(said['game_title'])}<small>{safe(board)}</small>",
        "Format": f"{safe(said['format'])}<small>{safe(options)}</small>",
        "Entries": f"{len(said['standings']):,}",
        "Games": f"{said['games']:,}<small>{counted(said['pairs'], 'board')} a pairing, seats swapped</small>",
        "Drawn": f"{said['draws']:,}",
        "Moves": f"{said['moves']:,}",
        "Clock": safe(_clock_words(said["clock"])),
        "Seed": f"{said['seed']}",
    }
    items = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items())
    opening = f'<h1>{safe(said["name"])}</h1>\n<p class="lead">{_verdict(said)}</p>'
    return f'<header>\n{opening}\n<dl class="facts">{items}</dl>\n</header>'


def _clock_words(clock: str) -> str:
    if clock == "none":
        return clock
    number = clock.removeprefix("cpu:")
    words = number.replace("/move", " s a move") if "/move" in number else f"{number} s"
    return words if number == clock else f"{words}, CPU time"


def _verdict(said: Plain) -> str:
    """Say who won, or who leads and what is missing."""
    leaders = [safe(line["entry"]) for line in said["standings"] if line["rank"] == 1]
    names = " and ".join([", ".join(leaders[:-1]), leaders[-1]] if len(leaders) > 1 else leaders)
    if len(leaders) > 4:
        names = f"{len(leaders)} entries"
    several = len(leaders) > 1
    if not said["finished"]:
        lead = f"<b>{names}</b> {'lead' if several else 'leads'}"
        return f"{lead} after {counted(said['games'], 'game')}; there are games left to play."
    return f"<b>{names}</b> {'share the first place' if several else 'wins'}."


def _standings(said: Plain) -> str:
    lines = said["standings"]
    first = said["criteria"][0]["name"] if said["criteria"] else ""
    extra = first if first not in ("", "points", "score") else ""
    ends = [end for line in lines if line["rating"] for end in (line["rating"]["low"], line["rating"]["high"])]
    scale = (min(ends), max(ends)) if ends else (0.0, 1.0)
    heads = [("", ""), ("name", "entry"), *([("words", extra)] if extra else []), ("", "points"), ("", "score")]
    heads += [("", name) for name in ("games", "won", "drawn", "lost", "failed", "Elo")]
    heads += [("words", "95% interval"), ("", "stronger than next"), ("words", "behind by")]
    rows = [_standing(line, extra, scale) for line in lines]
    kind = "card tall" if len(rows) > MOST_CROSSED else "card"
    return _section("Standings", f'<div class="{kind}">{_table(heads, rows)}</div>', _how_ranked(said))


def _standing(line: Plain, extra: str, scale: tuple[float, float]) -> str:
    player = "" if line["player"] == line["entry"] else f"<small>{safe(player_name(line['player']))}</small>"
    gone = "<small>withdrawn</small>" if line["withdrawn"] else ""
    score = "" if line["score"] is None else f"{line['score']:.1%}"
    rating, ahead = line["rating"], line["stronger_than_next"]
    elo = ""
    if rating is not None:
        elo = f'{rating["elo"]:+.0f} <span class="soft">±{(rating["high"] - rating["low"]) / 2:.0f}</span>'
    cells = [
        _cell(f"{line['rank']}", "rank"),
        _cell(f"{safe(line['entry'])}{player}{gone}", "name"),
        *([_cell(safe(line["criteria"].get(extra, "")), "words")] if extra else []),
        _cell(f"{line['points']:g}"),
        _cell(score),
        *(_cell(f"{line[key]:,}") for key in ("games", "wins", "draws", "losses")),
        _cell(f"{line['failures']:,}", "bad" if line["failures"] else "soft"),
        _cell(elo),
        _cell("" if rating is None else _range(rating, scale), "words"),
        _cell("" if ahead is None else f"{ahead:.0%}"),
        _cell(f'<span title="{safe(line["explanation"])}">{safe(line["decided_by"])}</span>', "words"),
    ]
    return f"<tr{_class('leader' if line['rank'] == 1 else '')}>{''.join(cells)}</tr>"


def _range(rating: Plain, scale: tuple[float, float]) -> str:
    """Draw an interval on the scale of the whole table."""
    low, high = scale
    at = {key: 100 * (rating[key] - low) / ((high - low) or 1) for key in ("elo", "low", "high")}
    words = f"{rating['low']:+.0f} to {rating['high']:+.0f} Elo"
    zero = f'<u style="left:{100 * -low / (high - low):.1f}%"></u>' if low < 0 < high else ""
    line = f'<i style="left:{at["low"]:.1f}%;width:{at["high"] - at["low"]:.1f}%"></i>'
    return f'<span class="range" title="{words}">{zero}{line}<b style="left:{at["elo"]:.1f}%"></b></span>'


def _how_ranked(said: Plain) -> str:
    """Say what the order follows from, and what decided each tie."""
    order = ", then ".join(f"<b>{safe(c['name'])}</b> ({safe(c['help'])})" for c in said["criteria"])
    notes = [f'<p class="soft">Ranked by {order}.</p>']
    first = said["criteria"][0]["name"] if said["criteria"] else ""
    ties = [
        line["explanation"] for above, line in zip(said["standings"], said["standings"][1:], strict=False)
        if line["rank"] == above["rank"] or line["decided_by"] not in ("", first)
    ]  # fmt: skip
    if ties:
        items = "".join(f"<li>{safe(sentence)}</li>" for sentence in ties)
        opened = ' open="open"' if len(ties) <= 8 else ""
        notes.append(
            f'<div class="card"><details{opened}><summary>How {counted(len(ties), "tie")} came out</summary>'
            f'<ul class="plain soft">{items}</ul></details></div>'
        )
    if said["rating"]:
        seat = said["rating"]["seat"]
        sentence = (
            "Elo is fitted to all games at once (Bradley-Terry), the field's mean is 0; moving first is worth "
            f"{seat['value']:+.0f} [{seat['low']:+.0f}, {seat['high']:+.0f}]. {said['rating']['note']}"
        )
        notes.append(f'<p class="soft">{safe(sentence.strip())}</p>')
    if said["replayed"]:
        times = counted(said["replayed"], "game") + (" was" if said["replayed"] == 1 else " were")
        notes.append(
            f'<p class="soft">{times} played again: a time loss fell together with a stall of the referee.</p>'
        )
    return "\n".join(notes)


def _figure(svg: str, kind: str = "") -> str:
    return f'<figure class="{" ".join(("card", kind)).strip()}">\n{svg}</figure>'


def _bracket(plots: Mapping[str, str]) -> str:
    return f"<section>{_figure(plots['bracket'], 'full')}</section>" if "bracket" in plots else ""


def _plots(plots: Mapping[str, str]) -> str:
    figures = [_figure(svg, _room(svg)) for name, svg in plots.items() if name != "bracket"]
    return _section("Plots", f'<div class="plots">{"".join(figures)}</div>') if figures else ""


def _room(svg: str) -> str:
    """Give a plot that is wider than most the whole line."""
    return "wide" if float(svg.partition('width="')[2].partition('"')[0]) > 700 else ""


def _cross_table(said: Plain) -> str:
    """Show the game points of each against each; an interrupted pairing's games as well."""
    order = [line["entry"] for line in said["standings"]]
    if not said["met"] or len(order) > MOST_CROSSED:
        return ""
    points: dict[tuple[str, str], tuple[float, int]] = {}
    for pair in said["met"]:
        total = pair["wins"] + pair["draws"] + pair["losses"]
        points[pair["first"], pair["second"]] = pair["wins"] + pair["draws"] / 2, total
        points[pair["second"], pair["first"]] = pair["losses"] + pair["draws"] / 2, total
    rows = []
    for index, one in enumerate(order, 1):
        cells = [_cell("", "self") if one == other else _crossed(points.get((one, other))) for other in order]
        rows.append(f"<tr>{_cell(f'{index}', 'rank')}{_cell(safe(one), 'name')}{''.join(cells)}</tr>")
    heads = [("", ""), ("name", "entry"), *(("", f"{index}") for index in range(1, len(order) + 1))]
    words = '<p class="soft">Game points of the row against the column, of all games between the two.</p>'
    return _section("Cross table", f'<div class="card">{_table(heads, rows, "cross")}</div>', words)


def _crossed(found: tuple[float, int] | None) -> str:
    if found is None:
        return _cell("·", "soft")
    return _cell(f'{found[0]:g}<span class="soft">/{found[1]}</span>')


def _failures(said: Plain) -> str:
    if not said["failures"]:
        return _section("Failures", "<p>No game was lost by a failure: no time-out, no crash, no illegal move.</p>")
    rows = []
    for line in said["failures"]:
        sentences = "".join(f"<div>{safe(sentence)}</div>" for sentence in line["sentences"])
        cells = _cell(safe(line["entry"]), "name"), _cell(safe(line["kind"]), "words bad"), _cell(str(line["games"]))
        rows.append(f"<tr>{''.join(cells)}{_cell(sentences, 'words long')}</tr>")
    heads = [("name", "entry"), ("words", "kind"), ("", "games"), ("words", "what happened")]
    return _section("Failures", f'<div class="card">{_table(heads, rows)}</div>')


def _games(said: Plain, games: Sequence[Plain]) -> str:
    """List the games, folded by pairing, and by round where there are many pairings."""
    if len(games) > MOST_LISTED:
        files = '<a href="games.csv">games.csv</a> lists them, and <a href="records/">records</a> has each'
        return _section("Games", f"<p>{len(games):,} games are too many for a page: {files}.</p>")
    pairings: dict[str, list[Plain]] = {}
    for row in games:
        pairings.setdefault(row["pairing"], []).append(row)
    known = {pairing["key"]: pairing for pairing in (*said["pairings"], *said["open_pairings"])}
    rounds: dict[str, list[str]] = {}
    for key, rows in pairings.items():
        pairing = known.get(key, {"stage": "", "round": 0})
        name = " · ".join(part for part in (pairing["stage"].capitalize(), f"Round {pairing['round']}") if part)
        rounds.setdefault(name, []).append(_pairing(key, rows))
    if len(pairings) <= MOST_FLAT:
        inside = "\n".join(shown for folded in rounds.values() for shown in folded)
    else:
        inside = "\n".join(
            f"<details><summary>{safe(name)} <span class=\"soft\">{counted(len(folded), 'pairing')}</span></summary>\n"
            + "\n".join(folded) + "\n</details>"
            for name, folded in rounds.items()
        )  # fmt: skip
    return _section("Games", f'<div class="card">{inside}</div>')


def _pairing(key: str, rows: Sequence[Plain]) -> str:
    """Show the games of a pairing, as the first entry of its first game sees them."""
    one, other = rows[0]["first"], rows[0]["second"]
    if rows[0]["seats"]:
        one, other = other, one
    won = sum(0.5 if row["winner"] is None else (row["first"], row["second"])[row["winner"]] == one for row in rows)
    margin = any(row["margin"] for row in rows)
    lines = [_game(row, margin=margin) for row in rows]
    heads = [("words", "record"), ("words", "first"), ("words", "second"), ("words", "winner"), ("words", "by")]
    heads += [("", "margin")] * margin + [("", "moves"), ("", "time first"), ("", "time second")]
    return (
        f'<details><summary><span class="soft">{safe(key)}</span> {safe(one)} – {safe(other)} '
        f"<b>{won:g} – {len(rows) - won:g}</b></summary>\n{_table(heads, lines)}\n</details>"
    )


def _game(row: Plain, *, margin: bool) -> str:
    winner = "draw" if row["winner"] is None else (row["first"], row["second"])[row["winner"]]
    failed = row["reason"] not in ("rules", "adjudicated")
    why = f' title="{safe(row["fault"])}"' if row["fault"] else ""
    name = f"board {row['board'] + 1}, {'seats swapped' if row['seats'] else 'as drawn'}"
    cells = [
        _cell(f'<a href="records/{quote(row["record_file"])}">{name}</a>', "words"),
        *(_cell(safe(text), "words") for text in (row["first"], row["second"], winner)),
        f'<td class="words{" bad" if failed else ""}"{why}>{safe(row["reason"])}</td>',
        *([_cell(f"{row['margin']:+d}")] if margin else []),
        _cell(f"{row['moves']}"),
        _cell(seconds(row["used_first"])),
        _cell(seconds(row["used_second"])),
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _files() -> str:
    links = ", ".join(f'<a href="{name}">{name}</a>' for name in ("standings.csv", "games.csv", "results.json"))
    return f'<p class="soft">The same as data: {links}; records and plots are in the folders beside this page.</p>'
