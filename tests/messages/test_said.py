"""What our program says in sentences is said in Chinese too: on pages and on paper, by one table and the same rules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import sentences
from hypothesis import given
from hypothesis import strategies as st

import ludus.formats
from ludus.messages import catalogue
from ludus.said import WORDS, Term, in_language

TABLE: dict[str, str] = json.loads((WORDS / "zh-Hant" / "said.json").read_text())
SAID = {
    "beats heithoff: 12 of 20 (10 won, 4 drawn, 6 lost; 95% interval 40% to 80%); more than 50% of the points wanted": (
        "勝過 heithoff：20 局得 12 分（10 勝 4 和 6 負；95% 信賴區間 40% 到 80%）；須得到超過 50% 的分數"
    ),
    "rank 2 of 9: 3 of 4 (3 won, 0 drawn, 1 lost; 95% interval 30% to 95%); 1 lost by failure, the first by crash: "
    "it was killed by SIGSEGV before it answered": (
        "9 名中第 2 名：4 局得 3 分（3 勝 0 和 1 負；95% 信賴區間 30% 到 95%）；其中 1 局因失敗落敗，"
        "第一局：當機：還沒回答就被 SIGSEGV 終止"
    ),
    "set by hand to 5: in time (I saw it) (the rule gave 0: does not beat noLook: 1 of 2 (1 won, 0 drawn, 1 lost; 95% "
    "interval 9% to 91%); more than 50% of the games wanted)": (
        "人工改為 5 分：in time (I saw it)（原給 0 分：沒有勝過 noLook：2 局得 1 分"
        "（1 勝 0 和 1 負；95% 信賴區間 9% 到 91%）；須贏得超過 50% 的對局）"
    ),
    "W = 50%, rank 1 of 3: 4 of 8 (4 won, 0 drawn, 4 lost; 95% interval 20% to 80%) (not settled: 2 games could not be "
    "played, and no program is to blame: the sandbox did not start: it said nothing)": (
        "W = 50%，3 名中第 1 名：8 局得 4 分（4 勝 0 和 4 負；95% 信賴區間 20% 到 80%）"
        "（尚未確定：有 2 局無法進行，不是程式的問題：沙箱沒有啟動：沒有任何訊息）"
    ),
    "24 of 25 positions answered right; wrong first in number 2, 01/23 1 0-0: bad-output: in its output.txt the board "
    "is missing; row 1 after A1 is '0*'": (
        "25 個局面答對 24 個；第一個錯的是第 2 題，01/23 1 0-0："
        "回答無法解讀：它的 output.txt 沒有盤面；A1 之後第 1 列應為 '0*'"
    ),
    "a whole game on the usual board, second, against greedy: illegal-move: it played 'Z9': 'Z9' is no cell of this "
    "board, whose cells go from A1 to F5": (
        "標準盤面，後手對 greedy 的完整一局：違規著手：它下了 'Z9'：'Z9' 不在這個棋盤上；格子從 A1 到 F5"
    ),
    "the last move on rows=6 cols=3: timeout: it did not answer within 3 seconds": (
        "rows=6 cols=3，最後一步：超時：沒有在 3 秒內回答"
    ),
    "bot.zip: this zip archive cannot be read: File is not a zip file": (
        "bot.zip：無法讀取這個 zip 檔：File is not a zip file"
    ),
    "it is written in cpp; the course takes python": "它是用 cpp 寫的；這門課接受 python",
    "late.csv, line 3: days must be a number, not 'x'": "late.csv 第 3 行：days 必須是數字，不能是 'x'",
}
OUTSIDE = [
    "王小明: report",
    "main.cpp:3:1: error: expected ';' before '}' token",
    "Traceback (most recent call last): (2 of 3)",
    "x: " * 2000,
]


def test_everything_that_is_said_has_its_chinese() -> None:
    assert sentences.said() <= set(TABLE)


def test_translations_keep_the_holes_and_no_english_but_names() -> None:
    for sentence, text in TABLE.items():
        holes = re.findall(r"\{\d", sentence)
        assert sorted(re.findall(r"\{\d", text)) == sorted({*holes}), sentence
        left = re.findall(r"[A-Za-z]{2,}", re.sub(r"\{\d\+?\}", "", text))
        assert {*left} <= {*re.findall(r"[A-Za-z]+", sentence)} | {"UTC", "namespace"}, sentence
        assert re.search(r"[\u3000-\u9fff：；（]", text), sentence


@pytest.mark.parametrize("sentence", SAID)
def test_sentences_within_sentences_are_said(sentence: str) -> None:
    assert in_language(sentence, "zh") == SAID[sentence]
    assert in_language(sentence, "en") == sentence


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_not_ours_stays_as_it_is(text: str) -> None:
    assert in_language(text, "zh") == text


@pytest.mark.parametrize("text", [*OUTSIDE, "main.c:1:10: fatal error: memory: No such file or directory"])
def test_compilers_words_stay_whole_even_where_they_are_ours_too(text: str) -> None:
    assert in_language(f"build-failed: its build failed: {text}", "zh") == f"編譯失敗：無法編譯：{text}"


@given(st.text(min_size=1, max_size=40))
def test_whatever_a_bot_writes_is_carried_over(text: str) -> None:
    said = in_language(f"it wrote {text!r}, which is no move; one would be 'A1'", "zh")
    assert said == f"它輸出 {text!r}，那不是著手；著手要寫成 'A1' 這樣"


def test_the_page_says_the_same_as_paper() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    asked = [*SAID, *OUTSIDE, *(re.sub(r"\{(\d)\}", r"<\1>", sentence) for sentence in TABLE)]
    program = (
        f"import {{ speakBy, translated }} from {json.dumps((WORDS.parent / 'said.js').as_uri())};"
        "import { readFileSync } from 'node:fs';"
        "const { table, asked } = JSON.parse(readFileSync(0)); speakBy(table);"
        "console.log(JSON.stringify(asked.map(translated)));"
    )
    ran = subprocess.run(
        [node, "--experimental-default-type=module", "--input-type=module", "--eval", program],
        input=json.dumps({"table": TABLE, "asked": asked}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout) == [in_language(one, "zh") for one in asked]


def test_every_format_and_criterion_has_its_word() -> None:
    known = catalogue("zh-Hant")
    formats = Path(ludus.formats.__file__).parent
    criteria = {
        name for file in formats.glob("*.py") for name in re.findall(r'Criterion\(\s*"([^"]+)"', file.read_text())
    }
    assert len(criteria) > 10
    assert {f"criterion.{name}" for name in criteria} | {
        f"format.{name}" for name in ludus.formats.formats()
    } <= known.keys()
    assert in_language(Term("win rate", "criterion"), "zh") == "勝率"
    assert in_language(Term("win rate", "criterion"), "en") == "win rate"
    assert in_language(Term("nobody's", "criterion"), "zh") == "nobody's"
