"""What a hostile program tries, as root's sandbox and as an ordinary user's have it: docs/security.md lists them.

Each attempt is a small Python program that prints what it achieved. All of them run in one referee for each user: an
ordinary user's has no control group, so that the first process of the sandbox counts memory and pauses.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyseccomp as seccomp
import pytest
from ordinary import as_ordinary_user

REFEREE = """
import json, sys
from ludus import sandbox
from ludus.errors import Fault
answers = {}
for name, (text, memory) in json.load(sys.stdin).items():
    limits = sandbox.ResourceLimits(memory_mb=memory)
    with sandbox.start(("python3", "-c", text), view=sandbox.python(), limits=limits) as program:
        program.start_clock()
        lines, fault = [], None
        try:
            while True:
                lines.append(program.line(120))
        except Fault as found:
            fault = found.kind
    answers[name] = {"lines": lines, "fault": fault, "refused": program.refused, "log": program.log.text}
print(json.dumps(answers))
"""
TRIED = """
import ctypes, errno, mmap, os, resource, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def tried(what, attempt):
    try:
        result = attempt()
    except OSError as error:
        result = -error.errno
    else:
        result = -ctypes.get_errno() if result == -1 else "done"
    print(what, result, flush=True)
def touch(memory):
    for place in range(0, len(memory), 4096):
        memory[place] = 1
    return memory
"""
CALLS = {
    call: seccomp.resolve_syscall(seccomp.Arch.NATIVE, call)
    for call in (
        *("unshare", "setns", "mount", "umount2", "chroot", "pivot_root", "open_by_handle_at", "clone", "clone3"),
        *("keyctl", "add_key", "request_key", "init_module", "finit_module", "kexec_load", "reboot", "syslog", "acct"),
        *("settimeofday", "clock_settime", "adjtimex", "swapon", "quotactl", "personality", "bpf", "perf_event_open"),
        *("userfaultfd", "io_uring_setup", "io_setup", "vmsplice", "seccomp", "kcmp", "move_pages", "memfd_secret"),
    )
}
EXIT, IOPRIO_SET = (seccomp.resolve_syscall(seccomp.Arch.NATIVE, call) for call in ("exit", "ioprio_set"))
PLENTY = 256
"""Megabytes that a program may use here; the hungry ones try to use more."""

ATTEMPTS: dict[str, str] = {
    "first_process_memory": """
for name in ("mem", "maps", "environ", "fd", "root", "cwd", "smaps", "stack", "auxv"):
    tried(name, lambda: os.listdir(f"/proc/1/{name}") if name in ("fd", "root") else open(f"/proc/1/{name}").read(1))
tried("write", lambda: open("/proc/1/mem", "r+b", buffering=0).write(b"x"))
tried("oom", lambda: open("/proc/1/oom_score_adj", "w").write("1000"))
""",
    "first_process_traced": """
buffer = ctypes.create_string_buffer(8)
piece = struct.pack("PN", ctypes.addressof(buffer), 8)
tried("attach", lambda: libc.ptrace(16, 1, 0, 0))
tried("seize", lambda: libc.ptrace(0x4206, 1, 0, 0))
tried("write", lambda: libc.process_vm_writev(1, piece, 1, piece, 1, 0))
tried("read", lambda: libc.process_vm_readv(1, piece, 1, piece, 1, 0))
tried("descriptor", lambda: libc.syscall(438, os.pidfd_open(1), 0, 0))  # pidfd_getfd
""",
    "first_process_killed": """
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGSEGV):
    os.kill(1, number)
time.sleep(0.1)
print(open("/proc/1/stat").read().rpartition(")")[2].split()[0] in "SRD")
child = os.fork()
if child == 0:
    if os.fork():
        os._exit(0)  # an orphan, which the first process must bury
    os._exit(0)
os.waitpid(child, 0)
print("alive")
""",
    "first_process_slowed": """
tried("nice", lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))
tried("all", lambda: os.setpriority(os.PRIO_USER, 0, 19))
tried("group", lambda: os.setpriority(os.PRIO_PGRP, 0, 19))
tried("idle", lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)))
tried("core", lambda: os.sched_setaffinity(1, {0}))
for kind in (1, 2, 3):  # a process, its group, its user
    tried(f"disk{kind}", lambda: libc.syscall({IOPRIO_SET}, kind, 1 if kind < 3 else 0, 3 << 13))
tried("limit", lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1)))
""",
    "goes_first": """
print(open("/proc/self/oom_score_adj").read().strip(), flush=True)
tried("stays", lambda: open("/proc/self/oom_score_adj", "wb", 0).write(b"0"))
""",
    "shared_memory": """
touch(mmap.mmap(-1, 3 << 30))
print("has 3 GB")
""",
    "shared_zero_device": """
touch(mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 30, mmap.MAP_SHARED))
print("has 1 GB")
""",
    "memory_files": """
for _ in range(200):
    file = os.memfd_create("x")
    for _ in range(63):
        os.write(file, bytes(1 << 20))
print("has 12 GB")
""",
    "memory_of_the_old_kind": """
tried("shmget", lambda: libc.shmget(0, 1 << 20, 0o1600))
tried("msgget", lambda: libc.msgget(0, 0o1600))
tried("semget", lambda: libc.semget(0, 1, 0o1600))
""",
    "memory_of_many_processes": """
for _ in range(8):
    if os.fork() == 0:
        memory = touch(bytearray(100 << 20))
        time.sleep(20)
os.wait()  # the first one that is killed
""",
    "memory_of_processes_without_first_thread": """
import threading
def use():
    time.sleep(0.5)  # by then /proc calls the process a zombie, and shows no memory of it
    memory = touch(bytearray(100 << 20))
    time.sleep(20)
def lose_first_thread():
    threading.Thread(target=use).start()
    libc.syscall({EXIT}, 0)
for _ in range(8):
    if os.fork() == 0:
        lose_first_thread()
os.wait()  # the first one that is killed
""",
    "memory_shared_after_fork": """
memory = touch(bytearray(150 << 20))
for _ in range(6):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
for _ in range(6):
    os.wait()
print("fits")
""",
    "many_small_files": """
for number in range(400_000):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT))
print("has them")
""",
    "full_sockets": """
for _ in range(10):
    if os.fork() == 0:
        ends = [end for _ in range(110) for end in socket.socketpair()]
        for end in ends:
            end.setblocking(False)
            try:
                while True:
                    end.send(bytes(65536))
            except BlockingIOError:
                pass
        time.sleep(20)
os.wait()  # the first one that is killed
""",
    "calls_on_neighbours_files": """
import fcntl
system = os.open("/usr/bin/env", os.O_RDONLY)
tried("lease", lambda: fcntl.fcntl(system, 1024, fcntl.F_RDLCK))
tried("notify", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), 1026, 1))
with open("/tmp/own", "w") as own:
    for number in (1036, 1038):  # a hint about its use stays with a file, and others read it
        tried(f"hint{number}", lambda: fcntl.fcntl(own, number, struct.pack("Q", 2)))
tried("inotify", lambda: libc.inotify_init())
tried("fanotify", lambda: libc.fanotify_init(0, 0))
tried("mincore", lambda: libc.mincore(0, 0, 0))
tried("nowait", lambda: os.preadv(system, [bytearray(4096)], 0, os.RWF_NOWAIT))
tried("readahead", lambda: libc.readahead(system, 0, 4096))
""",
    "calls_on_the_machine": """
for call, number in {CALLS}.items():
    tried(call, lambda: libc.syscall(number, 0x10000011, 0, 0, 0, 0))
tried("type", lambda: libc.ioctl(0, 0x5412, b"x"))
tried("unknown", lambda: libc.syscall(900))
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, socket.AF_NETLINK, socket.AF_VSOCK):
    tried(family.name, lambda: socket.socket(family, socket.SOCK_DGRAM))
""",
    "what_all_share": """
for family in range(2, 46):
    tried(f"socketpair{family}", lambda: libc.socketpair(family, 1, 0, (ctypes.c_int * 2)()))
tried("core_scheduling", lambda: libc.prctl(62, 1, 0, 0, 0))
tried("merged_memory", lambda: libc.prctl(67, 1, 0, 0, 0))
tried("merged_pages", lambda: mmap.mmap(-1, 4096, mmap.MAP_PRIVATE).madvise(12))
tried("huge_pages", lambda: mmap.mmap(-1, 2 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000))
tried("huge_file", lambda: os.memfd_create("x", 4))
tried("packet_filter", lambda: socket.socketpair()[0].setsockopt(1, 26, struct.pack("HxxxxxxQ", 0, 0)))
class Step(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jumps", ctypes.c_ushort), ("value", ctypes.c_uint)]
class Steps(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("first", ctypes.POINTER(Step))]
log_all = Steps(1, ctypes.pointer(Step(6, 0, 0x7FFC0000)))  # a filter that lets every call be logged
tried("kernel_log", lambda: libc.prctl(22, 2, ctypes.byref(log_all), 0, 0))
local = socket.socketpair()[0]
for request in (0x8940, 0x8982, 0x89A0):  # bridges and VLANs: the kernel has loaded their modules before it refuses
    tried(f"module{request:x}", lambda: libc.ioctl(local.fileno(), request, ctypes.create_string_buffer(256)))
tried("line_discipline", lambda: libc.ioctl(0, 0x5423, struct.pack("i", 21)))
tried("real_time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
tried("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -1))
for where, _, names in (*os.walk("/proc/sys"), *os.walk("/proc/pressure")):
    for name in names:
        if os.access(f"{where}/{name}", os.W_OK):
            print("writable", f"{where}/{name}", flush=True)
reading, _ = os.pipe()  # nothing that could be written to the disk: the kernel would say so
for call in ("fsync", "fdatasync"):
    print("waits", -getattr(libc, call)(reading) - 1, flush=True)
""",
    "things_of_the_machine": """
for name in ("/dev/ptmx", "/dev/pts/ptmx", "/dev/kmsg", "/dev/mem", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm"):
    tried(name, lambda: os.open(name, os.O_RDWR))
for name in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/hostname", "/sys/kernel"):
    tried(name, lambda: open(name, "w"))
for name in ("/proc/keys", "/proc/key-users"):
    tried(name, lambda: open(name).read())
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print("core", -resource.getrlimit(resource.RLIMIT_CORE)[0])
""",
    "ordinary_work": """
import asyncio, fcntl, multiprocessing, subprocess, tempfile, threading
multiprocessing.set_start_method("fork")
thread = threading.Thread(target=time.sleep, args=(0.01,))
thread.start()
thread.join()
left, right = socket.socketpair()
left.send(b"x")
queue, value = multiprocessing.Queue(), multiprocessing.Value("i", 1)
worker = multiprocessing.Process(target=queue.put, args=(1,))
worker.start()
queue.get()
worker.join()
async def spawned():
    return await (await asyncio.create_subprocess_exec("true")).wait()
asyncio.run(spawned())
with tempfile.NamedTemporaryFile() as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
os.setpriority(os.PRIO_PROCESS, 0, 5)
os.sched_setaffinity(0, os.sched_getaffinity(0))
resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
open("/dev/zero", "rb").read(9), open("/dev/urandom", "rb").read(9), open("/dev/null", "w").write("x")
subprocess.run("timeout 9 sh -c 'true | cat; ls /usr | sort | head -1; mkfifo f; date' >&2", shell=True, check=True)
print("done")
""",
}


@pytest.fixture(scope="module", params=["root", "ordinary user"])
def answers(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Let one referee try all of them."""
    known = {"{CALLS}": repr(CALLS), "{EXIT}": str(EXIT), "{IOPRIO_SET}": str(IOPRIO_SET)}
    texts = {
        name: functools.reduce(lambda done, pair: done.replace(*pair), known.items(), text)
        for name, text in ATTEMPTS.items()
    }
    given = json.dumps({name: (TRIED + text, PLENTY) for name, text in texts.items()})
    if request.param == "root":
        words = [sys.executable, "-c", REFEREE]
        done = subprocess.run(words, input=given, capture_output=True, text=True, check=False)
    else:
        done = as_ordinary_user("-c", REFEREE, text=given)
    assert done.returncode == 0, done.stderr
    return {"user": request.param, **json.loads(done.stdout)}


def results(answer: dict[str, Any]) -> dict[str, str]:
    """Return what came of each thing that was tried."""
    assert answer["lines"], answer
    return dict(line.split(" ", 1) for line in answer["lines"])


def test_nothing_of_the_machine_is_at_hand(answers: dict[str, Any]) -> None:
    """No terminals of the machine's few, no device, no key, and no core dump that a program of the machine reads."""
    found = results(answers["things_of_the_machine"])
    assert all(result.startswith("-") for result in found.values()), found
    assert found["core"] == "-1"


@pytest.mark.parametrize("name", ["first_process_memory", "first_process_traced", "first_process_slowed"])
def test_the_first_process_is_out_of_reach(answers: dict[str, Any], name: str) -> None:
    assert all(result.startswith("-") for result in results(answers[name]).values()), answers[name]


def test_who_uses_up_the_machine_s_memory_goes_first(answers: dict[str, Any]) -> None:
    """Before the referee; only what root says with CAP_SYS_RESOURCE cannot be taken back."""
    first, stays = answers["goes_first"]["lines"]
    rights = re.search(r"^CapEff:\s*(\w+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    lasts = answers["user"] == "root" and rights is not None and int(rights[1], 16) >> 24 & 1
    assert (first, stays) == ("1000", "stays -13" if lasts else "stays done")


def test_the_first_process_cannot_be_killed_from_inside(answers: dict[str, Any]) -> None:
    assert answers["first_process_killed"]["lines"] == ["True", "alive"]


@pytest.mark.parametrize(
    "name",
    [
        "shared_memory",
        "shared_zero_device",
        "memory_files",
        "memory_of_many_processes",
        "memory_of_processes_without_first_thread",
    ],
)
def test_no_kind_of_memory_is_without_limit(answers: dict[str, Any], name: str) -> None:
    answer = answers[name]
    assert answer["lines"] == []
    assert answer["fault"] == "memory" or "PermissionError" in answer["log"] or "No such device" in answer["log"], (
        answer
    )


@pytest.mark.parametrize("name", ["many_small_files", "full_sockets"])
def test_memory_that_the_kernel_uses_for_a_program_counts(answers: dict[str, Any], name: str) -> None:
    assert answers[name]["lines"] == []
    assert answers[name]["fault"] == "memory"


def test_memory_that_processes_share_counts_once(answers: dict[str, Any]) -> None:
    assert answers["memory_shared_after_fork"]["lines"] == ["fits"], answers["memory_shared_after_fork"]


def test_what_would_tell_neighbours_something_is_refused(answers: dict[str, Any]) -> None:
    answer = answers["calls_on_neighbours_files"]
    assert all(result.startswith("-") for result in results(answer).values()), answer


def test_nobody_uses_up_or_changes_what_the_whole_machine_shares(answers: dict[str, Any]) -> None:
    """Modules of the kernel, cores, merged and huge pages, real time, settings, the disk."""
    answer = answers["what_all_share"]
    found = results(answer)
    assert "writable" not in found, answer
    assert all(result.startswith("-") for result in found.values()), answer
    assert found["waits"] == "-1", "the kernel was asked to write to the disk"
    assert {found[f"module{request}"] for request in (8940, 8982, "89a0")} == {"-1"}, "a module was looked for"
    assert found["line_discipline"] == "-1", "a module was looked for"
    assert found["huge_pages"] == found["huge_file"] == "-1", "the kernel was asked for huge pages"
    assert "socketpair" in answer["refused"]


def test_calls_that_are_not_on_the_list_are_refused_and_named(answers: dict[str, Any]) -> None:
    answer = answers["calls_on_the_machine"]
    assert all(result.startswith("-") for result in results(answer).values()), answer
    assert results(answer)["unknown"] == results(answer)["clone3"] == "-38"  # ENOSYS: libraries fall back
    assert {"unshare", "mount", "bpf", "keyctl", "socket", "clone", "900"} <= {*answer["refused"]}
    assert not {"clone3", "io_uring_setup"} & {*answer["refused"]}, "every program tries them"
    assert set(answers["memory_of_the_old_kind"]["refused"]) == {"shmget", "msgget", "semget"}


def test_ordinary_work_is_not_refused_anything(answers: dict[str, Any]) -> None:
    answer = answers["ordinary_work"]
    assert (answer["lines"], answer["refused"]) == (["done"], []), answer
