"""Files are whole or not there; what a killed process leaves is used up or removed by the next one."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import PATIENCE

from ludus.errors import is_disk_full, message_of
from ludus.files import ScratchFolder, create_once, naming, write_whole

KILLED = """
import sys, time
from pathlib import Path
from ludus import files
what, place = sys.argv[1], Path(sys.argv[2])
if what == "write":
    files.os.fsync = lambda _: (print("now", flush=True), time.sleep(600))
    files.write_whole(place, "half")
else:
    folder = files.ScratchFolder(None if what == "home" else place)
    (folder.path / "inside").mkdir(mode=0o500)
    print(folder.path, flush=True)
    time.sleep(600)
"""


def started(what: str, place: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a process that is in the middle of something, and return it and what it says."""
    command = [sys.executable, "-c", KILLED, what, str(place)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(place)})
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def killed(what: str, place: Path) -> str:
    process, said = started(what, place)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    return said


def test_half_a_file_is_used_up_by_the_next_who_writes_it(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("before")
    killed("write", target)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path != target] == [".a.txt.part"]
    write_whole(target, "a")
    assert target.read_text() == "a"
    assert list(tmp_path.iterdir()) == [target]


def test_two_who_write_the_same_file_do_not_meet(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    process, _ = started("write", target)
    write_whole(target, b"mine")
    assert target.read_text() == "mine"
    process.kill()
    process.communicate(timeout=PATIENCE)
    texts = [f"{number}" * 5000 for number in range(8)]
    threads = [threading.Thread(target=write_whole, args=(target, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert target.read_text() in texts
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_that_lies_in_the_way_is_written_to(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "a.txt"
    victim.write_text("kept")
    for lay in (Path.symlink_to, Path.hardlink_to):
        lay(tmp_path / ".a.txt.part", victim)
        write_whole(target, "a")
        assert (victim.read_text(), target.read_text()) == ("kept", "a")
        (tmp_path / ".a.txt.part").unlink()
    os.mkfifo(tmp_path / ".a.txt.part")
    write_whole(target, "b")
    assert target.read_text() == "b"


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"no/a\.txt") as missing:
        write_whole(tmp_path / "no" / "a.txt", "a")
    assert not is_disk_full(missing.value)
    with pytest.raises(OSError) as full, naming("a.txt"):
        raise OSError(errno.ENOSPC, "full")
    assert is_disk_full(full.value)
    assert str(message_of(full.value)).startswith("a.txt: no space is left")
    with pytest.raises(OSError) as scratch, ScratchFolder(tmp_path):
        raise OSError(errno.EDQUOT, "full")
    assert scratch.value.filename == str(tmp_path)


@pytest.mark.parametrize("what", ["home", "place"])
def test_the_scratch_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(tmp_path: Path, what: str) -> None:
    process, living = started(what, tmp_path)
    dead = killed(what, tmp_path)
    assert Path(dead).parent == Path(living).parent
    with ScratchFolder(Path(living).parent) as mine:
        assert sorted(mine.parent.iterdir()) == sorted([mine, Path(living)])
    process.kill()
    process.communicate(timeout=PATIENCE)
    with ScratchFolder(Path(living).parent) as mine:
        assert list(mine.parent.iterdir()) == [mine]
    assert list(mine.parent.iterdir()) == []


def test_scratch_folders_leave_nothing_behind_and_nobody_can_lay_a_trap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ScratchFolder() as one, ScratchFolder() as other:
        assert one.parent == other.parent
        assert one.parent.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []
    one.parent.mkdir()
    one.parent.chmod(0o777)
    (one.parent / "making-theirs").mkdir()
    with ScratchFolder() as safe:
        assert safe.parent != one.parent
    assert [path.name for path in one.parent.iterdir()] == ["making-theirs"]


def test_scratch_folders_come_and_go_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one removes the folder that they share, which another one is about to use."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def come_and_go(_number: int) -> None:
        for _ in range(100):
            with ScratchFolder() as one:
                assert one.is_dir()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(come_and_go, range(4)))
    assert list(tmp_path.iterdir()) == []


def test_a_secret_is_made_once_and_whole(tmp_path: Path) -> None:
    path, found = tmp_path / "key", set[bytes]()
    threads = [
        threading.Thread(target=lambda n=number: found.add(create_once(path, bytes([n]) * 32))) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {path.read_bytes()}
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]
