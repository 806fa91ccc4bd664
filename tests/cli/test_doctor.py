"""What the command line says about this machine: `ludus doctor`, and what other verbs say of a weak sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bots import cave_bot
from ordinary import as_ordinary_user

from ludus.cli import main
from ludus.sandbox import cgroup

LIMITS = ("sandbox", "memory", "processes", "pause", "cpu", "user", "calls")


@pytest.fixture
def weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take this machine's control groups away."""
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    monkeypatch.delenv("LUDUS_WEAK_SANDBOX")


def test_doctor_tries_the_sandbox(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(("doctor", "--json"))
    told = json.loads(capsys.readouterr().out)
    assert status == (0 if told["strong"] else 1)
    assert tuple(one["name"] for one in told["protections"]) == LIMITS
    there = {one["name"]: one["there"] for one in told["protections"]}
    assert there["sandbox"]
    assert there["calls"]
    assert there["memory"] == told["strong"] == (cgroup.hierarchy() is not None)
    assert {"python", "cpp", "java", "javascript"} <= {one["name"] for one in told["languages"]}
    assert [one["package"] for one in told["archives"]] == ["libarchive-tools"]
    assert main(("doctor",)) == status
    assert ("Ready for" in capsys.readouterr().out) == told["strong"]


def test_doctor_says_how_an_ordinary_user_gets_the_rest() -> None:
    done = as_ordinary_user("-m", "ludus", "doctor", "--json")
    told = {one["name"]: one for one in json.loads(done.stdout)["protections"]}
    assert done.returncode == 1, done
    assert (told["sandbox"]["there"], told["calls"]["there"], told["user"]["there"]) == (True, True, False)
    assert not told["memory"]["there"]
    assert told["memory"]["remedy"]


@pytest.mark.usefixtures("weak")
def test_doctor_lists_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("doctor",)) == 1
    told = capsys.readouterr().out
    assert "✗ no control group limits the memory of bots" in told
    assert told.count("to get it:") == len({line for line in told.splitlines() if "to get it:" in line})
    assert "Not ready for strangers' bots." in told


@pytest.mark.usefixtures("weak")
@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["course", "grade", "nycu-cantris", "x", "--out", "y"]])
def test_strangers_bots_are_refused_a_weak_sandbox(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "no control group limits the memory of bots" in told.err
    assert "--weak-sandbox accepts it" in told.err


@pytest.mark.usefixtures("weak")
def test_a_weak_sandbox_can_be_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["course", "grade", "nycu-cantris", str(tmp_path / "gone"), "--out", str(tmp_path / "out")]
    assert main([*command, "--weak-sandbox"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("weak sandbox: no control group limits the memory of bots")
    assert "gone" in told[1]


@pytest.mark.usefixtures("weak")
def test_a_weak_sandbox_is_mentioned_in_one_line_where_bots_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = cave_bot(tmp_path)
    play = ("--game", "magnetic-cave", "--clock", "20/move", "--json")
    for command in (
        ("check", bot, *play),
        ("match", "magnetic-cave", bot, "random", "--games", "2", "--clock", "20/move", "--jobs", "1", "--json"),
        ("tournament", "--format", "round-robin", bot, "random", *play, "--jobs", "1"),
    ):
        main(command)
        lines = [line for line in capsys.readouterr().err.splitlines() if "weak sandbox" in line]
        assert lines == [
            "weak sandbox: no control group limits the memory of bots, which is only counted 40 times a second; "
            "ludus doctor says how to improve it"
        ], command
    main(("match", "magnetic-cave", "greedy", "random", "--games", "2", "--json"))
    main(("match", "magnetic-cave", bot, "random", "--games", "2", "--clock", "20/move", "--trust", "--json"))
    assert "weak" not in capsys.readouterr().err
