"""What a prompt probably asks for, in English and Chinese, and what may be typed there; how a line may show a move.

All of it is guesses in a good order, for `ludus.bots.console`, which tries them. Knows no process and no rules.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ludus.protocols.console.script import LONGEST, LONGEST_LIST, Notation, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOVE = re.compile(
    r"\bmoves?\b|position|coord|\bcells?\b|\bplace|\brows?\b|\bcol(?!ou?r)|\bx\b|\by\b|\bturn\b|brick|\btiles?\b|square|remov|\bpick"
    r"|座標|位置|移動|下在|哪|該你|輪到|列\W{0,3}行|行\W{0,3}列|\b[A-H] ?[1-8]\b|拿|消除",
    re.IGNORECASE,
)
SETUP = re.compile(
    r"order|\bfirst\b|\bsecond\b|\bwho\b|start|\bmode|menu|choice|option|choose|select|play(?:ing)? as|colou?r|symbol"
    r"|size|black|white|dimension|depth|level|difficult|\bname\b|number of|how many|\by ?/ ?n\b|yes"
    r"|\bfile|\bvs\b|seconds|limit|先手|後手|先攻|後攻|先下|後下|順序|模式|選擇|難度|深度|層|檔|大小|先走|後走",
    re.IGNORECASE,
)
MACHINE = re.compile(r"computer|\bai\b|auto|\bbot\b|machine|cpu|minimax|alpha|電腦|程式", re.IGNORECASE)
PEOPLE = re.compile(
    r"manual entry for both|two players|2 players"
    r"|(human|player|person|manual)\W{1,3}(vs?\.?|versus|and)\W{1,3}(human|player|person|manual)",
    re.IGNORECASE,
)
OTHER_CHOICE = re.compile(r"exit|quit|help|rules|instruct|about|離開|結束|說明", re.IGNORECASE)
OPTION = re.compile(
    r"(?<![A-Za-z0-9])[\[(]?([0-9A-Za-z]|[A-Z]{2,3}(?=[ \t]?=))[\])]?[ \t]?[.):=：、\]-][ \t]{0,3}"
    r"([^\W\d_][^\n,;，；()0-9]{0,60}|[■□][^\n]{0,60})"
)
"""`1. human vs computer`, `0:first`, `(b) black`, `AI = computer`."""
MEANING = re.compile(r"(?<![A-Za-z0-9])([0-9]|[B-HJ-Zb-z])[\"']?[ \t]+(?:for|to|if)[ \t]+([A-Za-z][^\n,;()0-9]{0,60})")
"""`0 for two players`, `enter 1 to move first`."""
PLAIN = re.compile(r"(?<![\w.])([0-9])[ \t]+([A-Za-z][A-Za-z][^\n,;()0-9]{0,60})")
"""`1 two players, 2 against the computer`."""
LETTER_AFTER = re.compile(r"(?<![\w(])([^\W\d_]{2,16})[ \t]?[(\[（]([A-Za-z0-9])[)\]）]")
"""`black (b), white (w) or none (n)`, `先手(1)或後手(2)`."""
SIZED = re.compile(
    r"(?<![A-Za-z0-9.])([0-9A-Za-z])[\])]?[ \t]?(?:[.):=：、\]-]+|for\b)[ \t]{0,3}"
    r"[^\n\d]{0,20}?(\d{1,2})[ \t]?(?:[xX×*]|by)[ \t]?(\d{1,2})(?![\dA-Za-z])"
)
"""`1) 6x3  2) 8x4`: boards of which one is chosen."""
WRITTEN_SIZE = re.compile(r"(?<!\d)\d{1,2}[ \t]?([xX×*])[ \t]?\d{1,2}(?!\d)")
EITHER = re.compile(
    r"(?<![A-Za-z0-9])(-?[A-Za-z0-9■□]{1,10})[ \t]?(?:/|\bor\b|\||或)[ \t]?(-?[A-Za-z0-9■□]{1,10})(?![A-Za-z0-9])"
)
"""`y/n`, `X or O`, `first/second`."""
NOTED = re.compile(r"([A-Za-z]{1,12}) ?\([^()\n]{1,20}\),? (?:or |/ ?)?([A-Za-z]{1,12}) ?\([^()\n]{1,20}\)")
"""`black (first) or white (second)`."""
LISTED = re.compile(r"[\[(<{] ?([A-Za-z0-9]{1,12}(?: ?(?:[,/|]|or) ?[A-Za-z0-9]{1,12}){1,5}) ?[\])>}]")
"""`[pvp, pvc, cvp]`, `(easy/medium/hard)`."""
YES_OR_NO = re.compile(r"\by ?/ ?n\b|\byes ?/ ?no\b|是/否|\(y\)", re.IGNORECASE)
SIZE = re.compile(r"^[^\n]{0,30}\b(?:rows|cols|columns)\W{0,6}$", re.IGNORECASE)
"""`rows: `; a move is asked for by its row."""
QUOTED = re.compile(r"[\"'‘“`]([A-Za-z0-9]{1,10})[\"'’”`]")
"""`type 'human' or 'computer'`."""
TERMS = re.compile(r"\bdepth\b|time limit|\bseconds\b|difficult|深度|難度|秒", re.IGNORECASE)
"""What is asked about how the program thinks, though a prompt for it may speak of moves."""
TYPED_BOARD = (
    r"(?i:(?:enter|input|type|paste|give)(?: me)?(?: the| a| your)?(?: initial| starting| whole| game){0,2} board\b"
    r"(?! ?(?:size|file|name|number|dimension))[^\n]{0,40}$)|輸入(?:初始)?(?:盤面|棋盤)"
)
"""What asks for the whole board."""
ABOUT_SEATS = re.compile(r"symbol|colou?r|play(?:ing)? as|\bfirst\b|\bwho\b|\bside\b|先手|後手", re.IGNORECASE)
"""What a question says about who plays what."""
TWICE = re.compile(r"\btwo\b|\bboth\b|[rxc]1|row ?1|兩|pair", re.IGNORECASE)
"""What a prompt says that takes the two removals of a turn at once."""
BOARD_FILE = "board.txt"
MENU_LINES = 24


def asks_for_setup(tail: str, prompt: str) -> bool:
    """Return whether a prompt rather asks about the game than for a move."""
    if is_menu(tail, prompt) or TERMS.search(prompt) or _offers_words(prompt) or _is_of_board(prompt):
        return True
    if YES_OR_NO.search(prompt) or SIZE.search(prompt) or (EITHER.search(prompt) and not MOVE.search(prompt)):
        return True
    if SETUP.search(prompt) and (not MOVE.search(prompt) or OPTION.search(prompt) or EITHER.search(prompt)):
        return True
    return not MOVE.search(prompt) and bool(SETUP.search(tail) or OPTION.search(tail) or len(choices(tail)) > 1)


def is_menu(tail: str, prompt: str) -> bool:
    """Return whether a screen ends with the last choice of a menu, so that the menu itself is the prompt."""
    return bool(OPTION.match(prompt.strip())) and len(choices(tail)) > 1


def may_ask_for_move(tail: str, prompt: str) -> bool:
    """Return whether a prompt may ask for a move."""
    if is_menu(tail, prompt) or any(sign.search(prompt) for sign in (YES_OR_NO, SIZE, TERMS)) or _offers_words(prompt):
        return False
    if _is_of_board(prompt):
        return False
    if ABOUT_SEATS.search(prompt) and EITHER.search(prompt):
        return False
    return bool(MOVE.search(prompt)) or not asks_for_setup(tail, prompt)


def _is_of_board(prompt: str) -> bool:
    """Return whether a prompt asks which board is played."""
    return bool(re.search(TYPED_BOARD, prompt)) or len(WRITTEN_SIZE.findall(prompt)) > 1


def _offers_words(prompt: str) -> bool:
    """Return whether a prompt quotes words that can be typed."""
    return len({word for word in QUOTED.findall(prompt) if word.isalpha() and len(word) > 2}) > 1


def setup_answers(shown: str, prompt: str) -> list[str]:
    """Return what may be typed at a question about the game, the likeliest first; `shown` is the screen above it."""
    low = prompt.lower()
    sizes = {f"{int(rows)}x{int(cols)}": key for key, rows, cols in SIZED.findall(last_lines(shown, MENU_LINES))}
    if len(sizes) > 1 and (SIZED.search(last_lines(shown, 1)) or not EITHER.search(prompt)):
        return ["{" + "|".join(f"{size}:{key}" for size, key in sizes.items()) + "}"]
    if len(signs := WRITTEN_SIZE.findall(prompt)) > 1:
        return [f"{{rows}}{signs[0]}{{cols}}"]
    if YES_OR_NO.search(prompt):  # as it is written there, since some look at capitals or at the whole word
        said = next((pair for pair in EITHER.findall(prompt) if pair[0].lower() in ("y", "yes")), ("y", "n"))
        return list(dict.fromkeys((*said, "y", "n")))
    named = _by_word(low)
    listed = listed_words(prompt)
    if len(listed) > 1 and TERMS.search(prompt):  # the last level is the strongest
        named = list(dict.fromkeys([*reversed(listed), *named]))
    options = choices(shown)
    if named and len(options) < 2:
        return named
    found = sorted(options, key=lambda key: _against_machine(options[key]))
    if len(found) > 1:
        return found[:9]
    found += listed
    found += [word for pair in NOTED.findall(prompt) for word in pair]
    for pair in EITHER.findall(prompt) or EITHER.findall(last_lines(shown, 6))[-1:]:
        found += pair
    if len(quoted := QUOTED.findall(last_lines(shown, 4))) > 1:
        found += quoted
    if re.search(r"yes|\?\s*$|？\s*$|嗎", low):
        found += ["y", "n"]
    return list(dict.fromkeys([*found, *named, "1", "2", "0", "y", "n"]))[:9]


def listed_words(text: str) -> list[str]:
    """Return the words of a text that stand in brackets, one of which is chosen."""
    return [word for words in LISTED.findall(text) for word in re.split(r" ?(?:[,/|]|\bor\b) ?", words)]


def choices(shown: str) -> dict[str, str]:
    """Return the choices of the menu that a screen ends with: what is typed, and what it means."""
    options: dict[str, str] = {}
    for line in last_lines(shown, MENU_LINES).splitlines():
        if len(line) <= LONGEST:
            options |= dict(OPTION.findall(line)) | dict(MEANING.findall(line))
    if len(options) < 2:
        last = last_lines(shown, 1)
        lettered = {key: label for label, key in LETTER_AFTER.findall(last)}
        options = next((found for found in (dict(PLAIN.findall(last)), lettered) if len(found) > 1), options)
    return {key: label for key, label in options.items() if not OTHER_CHOICE.search(label)}


def menu(shown: str) -> list[str]:
    """Return the lines of the menu that a screen ends with, with the line above, which says what is chosen."""
    lines = last_lines(shown, MENU_LINES).splitlines()
    first = next((at for at, line in enumerate(lines) if OPTION.search(line) or MEANING.search(line)), 0)
    return lines[max(0, first - 1) :]


LETTER_FIRST = re.compile(r"(?<![A-Za-z0-9])([A-Pa-p])([ \t]?,?[ \t]?)(\d{1,2})(?!\d)")
NUMBER_FIRST = re.compile(r"(?<!\d)(\d{1,2})([ \t]?,?[ \t]?)([A-Pa-p])(?![A-Za-z0-9])")
TWO_NUMBERS = re.compile(r"(?<!\d)(\d{1,2})(\D{1,20})(\d{1,2})(?!\d)")
ONE_NUMBER = re.compile(r"(?<![\d.,-])(\d{1,2})()(?![\d.,])")
MOVES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (LETTER_FIRST, ("{letter}{between}{row}", "{row_letter}{between}{col}")),
    (NUMBER_FIRST, ("{row}{between}{letter}",)),
    (TWO_NUMBERS, ("{row}{between}{col}", "{col}{between}{row}")),
)
"""What may be a move in a text, and the templates that it fits."""
ENTRY = re.compile(r"(?<![\d.,])\d{1,3}([ \t]?[.):=\]>-]+[ \t]{0,4}[(\[]?)(?=[A-Pa-p]?[ \t]?,?\d)")
"""Where an entry of a list of moves begins: `1. A1`, `12) (3, 0)`."""
FEWEST_ENTRIES = 6
MOST_ENTRIES = 80
"""Lines from the end of a screen among which a list of moves is."""
FROM_BOTTOM: tuple[tuple[int, Rows], ...] = ((1, "bottom"), (0, "top"))
FROM_TOP: tuple[tuple[int, Rows], ...] = ((0, "top"), (1, "top"), (1, "bottom"), (0, "bottom"))
"""The number of the first row and where rows are counted from, the likeliest first: with letters, and without."""


def listed_notations(shown: str, *, lettered: bool) -> list[Notation]:
    """Return the ways in which a screen may list moves, one of which is chosen by its number; none without a list."""
    found: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for line in last_lines(shown, MOST_ENTRIES).splitlines():
        for entry in ENTRY.finditer(line[:LONGEST_LIST]):
            rest = line[entry.end() : entry.end() + 12]
            for pattern, made in MOVES:
                if (match := pattern.match(rest)) and not {*"{}"} & {*match[2]}:
                    texts = ["{choice}" + entry[1] + one.replace("{between}", match[2]) for one in made]
                    new = [text for text in texts if (text, entry[0]) not in seen]  # in a drawn board, numbers repeat
                    seen.update((text, entry[0]) for text in new)
                    found.update(new)
    often = [text for text, count in found.most_common() if count >= FEWEST_ENTRIES]
    return notations_of(often, FROM_BOTTOM if lettered else FROM_TOP)


def notations_of(texts: Iterable[str], counts: Iterable[tuple[int, Rows]]) -> list[Notation]:
    """Return the notations of some templates, with rows counted in some ways."""
    return [Notation(text=text, count_from=first, rows=rows) for text in texts for first, rows in counts]


def last_lines(text: str, count: int) -> str:
    """Return the last lines of a text that are not blank."""
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


def _by_word(low: str) -> list[str]:
    """Return the answers to questions whose subject is plain."""
    for pattern, answers in (
        (r"file|檔", [BOARD_FILE]),
        (TYPED_BOARD, ["{board}"]),
        (r"\brows?\b[^\n]{0,20}\bcol(?:umn)?s\b", ["{rows} {cols}"]),
        (r"(?:number of|how many) rows|rows? ?(?:size|count|number)|\brows\W{0,6}$|列數|幾列", ["{rows}"]),
        (r"(?:number of|how many) col|col\w* ?(?:size|count|number)|\bcol(?:umn)?s\W{0,6}$|行數|幾行", ["{cols}"]),
        (r"size|dimension|大小", ["{rows} {cols}", "{rows}", "1", "2", "3"]),
        (r"depth|深度|層", ["3", "2"]),
        (r"level|difficult|難度", ["3", "2", "1", "hard", "medium"]),
        (r"seconds|time limit|秒", ["3"]),
        (r"\bname\b|名字|姓名|名稱", ["Ludus"]),
    ):
        if re.search(pattern, low):
            return answers
    return []


def _against_machine(label: str) -> int:
    if PEOPLE.search(label) or re.search(r"\bboth\b", label, re.IGNORECASE):
        return 2
    return 0 if MACHINE.search(label) else 1


def key_of(prompt: str) -> str:
    """Return the part of a prompt by which a script knows it again; none where it has no words."""
    key = prompt.strip()[-60:].strip()
    return key if len(re.findall(r"\w", key)) >= 3 else ""


LETTERED = (
    *("{letter}{row}", "{lower}{row}", "{row}{letter}", "{row}{lower}", "{letter} {row}", "{row} {letter}"),
    *("{letter},{row}", "{row},{letter}", "{letter}\n{row}", "{row}\n{letter}", "{lower}\n{row}", "{row}\n{lower}"),
)
ROW_LETTERED = ("{row_letter}{col}", "{row_lower}{col}", "{row_letter} {col}", "{row_letter}\n{col}")
NUMBERED = (
    *("{row} {col}", "{row},{col}", "{col} {row}", "{col},{row}", "{row}\n{col}", "{col}\n{row}"),
    *("({row},{col})", "{row}{col}", "{row}-{col}", "{row}, {col}"),
)
INDEXED = ("{index}",)
LETTER_HINT = re.compile(
    r"\b[A-P] ?,? ?\d\b|\b[a-h][1-8]\b|\b[1-8][A-Ha-h]\b|letter|\b[Aa] ?(?:-|to|~|\.\.) ?[H-Ph-p]\b"
)
ROW_LETTER_HINT = re.compile(r"row\W{0,20}(?:letter|\(?[Aa] ?(?:-|to|~) ?[A-Pa-p])", re.IGNORECASE)
INDEX_HINT = re.compile(
    r"\b[01] ?(?:-|to|~|–|and) ?6[34]\b|(?:cell|square|tile|position|box) (?:number|no|index)|index",
    re.IGNORECASE,
)


EXAMPLE = re.compile(
    r"(?:\be\.?g\b\.?|example|such as|\blike\b|format|例)[:：,如]?[ \t]{0,3}[\"'`]?"
    r"([^\W\d_]?[(\[]?)\d{1,2}([^\w\n]{1,3}|[^\W\d_])\d{1,2}([)\]]?)",
    re.IGNORECASE,
)
"""`e.g. R3C2`, `for example [3][2]`: how a move of two numbers is typed."""


def _shapes_of_example(prompt: str) -> list[str]:
    """Return the ways to type a move that a prompt shows by an example, its row or its column first."""
    found = EXAMPLE.search(prompt)
    if found is None or {*"{}"} & {*found[0]}:
        return []
    before, between, after = found.groups()
    return [f"{before}{{{one}}}{between}{{{other}}}{after}" for one, other in (("row", "col"), ("col", "row"))]


def notations(tail: str, prompt: str, *, lettered: bool, letters_in_source: bool = True) -> list[Notation]:
    """Return the ways in which a move may be typed at a prompt, the likeliest first.

    `lettered` says whether the game itself names columns by letters; a program whose source has no sign of letters
    probably does not.
    """
    hint = f"{last_lines(tail, 6)}\n{prompt}"
    letters = bool(LETTER_HINT.search(hint)) and lettered
    small = re.search(r"(?<![A-Za-z])a\W{1,12}b\W{1,12}c\b", tail) is not None
    ranked: list[tuple[float, Notation]] = []
    examples = _shapes_of_example(prompt)
    for text in dict.fromkeys((*examples, *LETTERED, *ROW_LETTERED, *NUMBERED, *INDEXED)):
        is_letter = text in (*LETTERED, *ROW_LETTERED)
        base = (-5.0 if letters else -0.5 if lettered else 8.0) if is_letter else (6.0 if letters else 0.0)
        base += 6.0 * (is_letter and not letters_in_source)
        base += (-4.0 if ROW_LETTER_HINT.search(hint) else 9.0) if text in ROW_LETTERED else 0.0
        base += (-9.0 if INDEX_HINT.search(prompt) else 9.0) if text in INDEXED else 0.0
        base += _shape_rank(text, hint, prompt, small=small) - 9.0 * (text in examples)
        counts = _counts(hint, is_letter=is_letter, lettered=lettered)
        for number, made in enumerate(notations_of([text], counts)):
            ranked.append((base + number * 1.5, made))
    return [made for _, made in sorted(ranked, key=lambda one: one[0])]


def _counts(hint: str, *, is_letter: bool, lettered: bool) -> Sequence[tuple[int, Rows]]:
    """Return where rows may be counted from, the likeliest first.

    The games with letters are the same upside down: from which end rows are counted makes no difference there.
    """
    if is_letter:
        return FROM_BOTTOM if lettered else ((1, "top"), *FROM_BOTTOM)
    ranges = re.findall(r"\b([01]) ?(?:-|~|to|\.\.|到) ?\d", hint) or LABEL.findall(hint)
    from_one = "1" in ranges and "0" not in ranges
    counts = FROM_BOTTOM[::-1] if lettered else FROM_TOP
    return sorted(counts, key=lambda one: one[0] != 1) if from_one else counts


def _shape_rank(text: str, hint: str, prompt: str, *, small: bool) -> float:
    """Return how unlikely a shape is by the words around the prompt; lower is likelier."""
    low = prompt.lower()
    row, col = (found.start() if (found := re.search(word, low)) else -1 for word in AXES)
    rank = 0.0
    first_row = "{row" in text and not re.search("col|letter|lower", text.partition("{row")[0])
    if "\n" in text:
        alone = (row < 0) != (col < 0) and not re.search(r"[A-H]\d", prompt)
        rank += -9.0 if alone else 5.0
        rank += 4.0 * (alone and first_row != (row >= 0))
    if FROM_ZERO.search(prompt) and re.search("letter|lower", text):
        rank += 2.0
    if row >= 0 and col >= 0 and row != col and "{col}" in text:
        rank += 0.0 if (row < col) == first_row else 2.5
    elif "{col}" in text:
        rank += 2.0 * (first_row if row == col and row >= 0 else not first_row)  # `x y` is the column first
    if "," in text:
        rank += -1.2 if COMMA.search(hint) else 1.0
    if text in ("{row}{letter}", "{row}{lower}", "{row} {letter}", "{row},{letter}"):
        asked = re.search(r"\b[1-8] ?,?[A-Ha-h]\b", hint) or (0 <= row < col)
        rank += 0.5 if asked else 3.0
    if text in ("{row}{col}", "({row},{col})", "{row}-{col}", "{row}, {col}"):
        rank += 4.0
    if "lower" in text:
        rank += -1.0 if small or re.search(r"\b[a-h][1-8]\b|\ba ?(?:-|to) ?h\b", hint) else 0.8
    return rank + (0.7 if text in ("{letter} {row}", "{letter},{row}") else 0.0)


LABEL = re.compile(r"(?<![A-Za-z])[RC]([01])(?!\d)")
"""`R1`, `C0`: what the first row or column of a drawn board is called."""
FROM_ZERO = re.compile(r"\b0 ?(?:-|~|to|–) ?7\b")
COMMA = re.compile(r"[A-Ha-h0-9] ?, ?\d|\bx ?, ?y\b|\brow\w* ?, ?col|\bcol\w* ?, ?row|逗號|comma", re.IGNORECASE)
AXES = (r"row|列|\by ?[:=)]|\bx ?,? ?y\b", r"col(?!ou?r)|行|\bx ?[:=)]|\bx ?,? ?y\b")
"""What names the row in a prompt, and what names the column."""
MOST_TEMPLATES = 60


def templates(text: str, *, indexed: bool = False) -> list[str]:
    """Return the ways in which the lines of a text may show a move: what stands before it, and its fields."""
    found: dict[str, None] = {}
    for line in reversed(text.splitlines()):
        for template in _in_line(line[:LONGEST].rstrip(), indexed=indexed):
            found[template] = None
        if len(found) > MOST_TEMPLATES:
            break
    return list(found)


def _in_line(line: str, *, indexed: bool) -> Iterator[str]:
    for pattern, fields in (*MOVES, (ONE_NUMBER, INDEXED)) if indexed else MOVES:
        for match in _overlapping(pattern, line):
            if {*"{}|│║┃"} & {*match[2]}:  # a row of a drawn board
                continue
            before = re.split(r"\d|[{}]", line[: match.start()])[-1]
            for made in fields:
                move = made.replace("{between}", match[2])
                for prefix in _prefixes(before):
                    yield prefix + move


def _overlapping(pattern: re.Pattern[str], line: str) -> Iterator[re.Match[str]]:
    """Yield the matches in a line, also those that begin within another: `Turn 3: 2,1` shows 2,1."""
    start = 0
    while (match := pattern.search(line, start)) and start < LONGEST:
        yield match
        start = match.end(1)


def _prefixes(before: str) -> Iterator[str]:
    """Yield what may stand before a move in a template, the longest first; a line of its own needs nothing."""
    words = before.lstrip().split(" ")
    if not re.search(r"\w", before):
        if not before.strip(" ([<"):
            yield before.lstrip()
        return
    for start in dict.fromkeys((0, max(0, len(words) - 4), max(0, len(words) - 3), max(0, len(words) - 2))):
        prefix = " ".join(words[start:])
        if re.search(r"\w", prefix):
            yield prefix
