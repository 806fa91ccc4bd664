"""The system calls that a sandboxed program may make, as seccomp filters. Knows the kernel, no bots.

The list was learned from what the languages of our starters and their compilers call, and is generous: all that
concerns only the program's own files, memory, processes and time. What is not on it is refused with EPERM, or ENOSYS
where the call is recent, so that libraries fall back to an older one; nothing is killed. `ludus-init` reports the
number of each refused call, and `call_name` tells its name.

There are two filters, and the stricter answer of the two holds. One has the list, and hands over everything else. The
other has answers of its own for a few calls that are on the list: see BESIDES.
"""

from __future__ import annotations

import errno
import functools
import resource
import socket
import tempfile
from typing import Any, NamedTuple

FILES = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 open openat openat2 creat close
    close_range stat lstat fstat newfstatat fstatat64 statx access faccessat faccessat2 lseek _llseek dup dup2 dup3
    fcntl ioctl flock truncate ftruncate fallocate fsync fdatasync sync_file_range rename renameat renameat2 mkdir
    mkdirat rmdir link linkat unlink unlinkat symlink symlinkat readlink readlinkat chmod fchmod fchmodat fchmodat2
    chown fchown lchown fchownat umask utime utimes futimesat utimensat getdents getdents64 getcwd chdir fchdir statfs
    fstatfs mknod mknodat getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat
    copy_file_range sendfile splice tee fadvise64
"""
MEMORY = """
    brk munmap mremap mprotect pkey_mprotect pkey_alloc pkey_free madvise msync mlock mlock2 munlock mlockall
    munlockall membarrier get_mempolicy set_mempolicy mbind map_shadow_stack mseal arch_prctl
"""
PROCESSES = """
    fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo
    pidfd_open pidfd_send_signal getpid getppid gettid getpgid getpgrp setpgid getsid setsid set_tid_address getuid
    geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid setregid setresuid setresgid setfsuid
    setfsgid setgroups capget capset prctl getrlimit setrlimit prlimit64 getrusage times getpriority setpriority
    ioprio_get ioprio_set sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_setparam
    sched_getscheduler sched_setscheduler sched_getattr sched_setattr sched_get_priority_max sched_get_priority_min
    sched_rr_get_interval set_robust_list get_robust_list rseq futex futex_waitv futex_wait futex_wake futex_requeue
    restart_syscall uname sysinfo getcpu getrandom
"""
SIGNALS_AND_TIME = """
    rt_sigaction rt_sigprocmask rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigreturn sigaltstack signalfd
    signalfd4 pause alarm getitimer setitimer time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep
    timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime
    timerfd_gettime poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
    epoll_pwait2 eventfd eventfd2 pipe pipe2 mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
"""
LOCAL_SOCKETS = """
    bind connect listen accept accept4 getsockname getpeername getsockopt setsockopt shutdown sendto
    recvfrom sendmsg recvmsg sendmmsg recvmmsg
"""
SILENT = {
    "clone3": errno.ENOSYS,  # its flags are out of sight; libraries fall back to clone
    **dict.fromkeys(("io_uring_setup", "io_uring_enter", "io_uring_register"), errno.ENOSYS),  # Node tries it first
    **dict.fromkeys(
        ("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"), errno.ENOTSUP
    ),
}
"""Calls that programs try as a matter of course: they are refused without a word about it."""
NEW_NAMESPACES = 0x7E02_0000
"""The flags of clone that make a namespace: mount, cgroup, uts, ipc, user, pid, net."""
WORD = 0xFFFF_FFFF
"""The kernel looks only at the lower half of most arguments, and so must we."""
SHARED, ANONYMOUS = 0x01, 0x20
"""The flags of mmap for memory that outlives the process which filled it."""


class Answer(NamedTuple):
    """What the second filter says to a call whose argument has a certain value."""

    call: str
    argument: int
    mask: int
    value: int
    error: int
    """0 where the call seems to succeed, and nothing happens."""
    given: int | None = None
    """An argument that must not be 0 besides: a pointer to what is to be set."""


FIRST_PROCESS = (
    *(
        Answer(call, 0, WORD, 1, errno.EPERM)
        for call in ("prlimit64", "sched_setaffinity", "sched_setparam", "sched_setscheduler", "sched_setattr")
    ),
    Answer("setpriority", 1, WORD, 1, errno.EPERM),
    Answer("setpriority", 0, WORD, 1, errno.EPERM),  # a process group, which may be its
    Answer("setpriority", 0, WORD, 2, errno.EPERM),  # a user, who it is too
    Answer("ioprio_set", 1, WORD, 1, errno.EPERM),
    Answer("ioprio_set", 0, WORD, 2, errno.EPERM),  # the same for the disk
    Answer("ioprio_set", 0, WORD, 3, errno.EPERM),
)
"""Nobody slows down or limits the first process, which runs as the same user."""
CORE_DUMPS = (
    Answer("setrlimit", 0, WORD, resource.RLIMIT_CORE, 0),
    Answer("prlimit64", 1, WORD, resource.RLIMIT_CORE, 0, given=2),
)
"""The limit stays: at 0, too, the machine's own program would be run, as root, for each program that crashes."""
TERMINALS = tuple(Answer("ioctl", 1, WORD, request, errno.EPERM) for request in (0x5412, 0x541C, 0x5423))
"""The ioctls that type into a terminal, and the one for which the kernel loads a module that drives it."""
NEIGHBOURS = (
    Answer("flock", 0, 0, 0, 0),  # a lock on a file of the system would be seen by the neighbours
    *(Answer("fcntl", 1, WORD, command, 0) for command in (6, 7, 37, 38)),  # and so would one on a part of it
    *(Answer("fcntl", 1, WORD, command, errno.EINVAL) for command in (1036, 1038)),  # a hint stays with a file
    Answer("fcntl", 1, WORD, 1024, errno.EPERM),  # a lease: tells when somebody else opens a file
    Answer("fcntl", 1, WORD, 1026, errno.EPERM),  # tells what happens in a folder
    Answer("fadvise64", 3, WORD, 4, 0),  # throws a file that others use out of the page cache
    Answer("preadv2", 5, 0x8, 0x8, errno.EOPNOTSUPP),  # tells whether a page of a file is in the page cache
)
"""Calls on files of the system that would tell programs of other sandboxes something."""
MACHINE = (
    *(Answer(call, 0, 0, 0, 0) for call in ("fsync", "fdatasync", "sync_file_range")),
    Answer("msync", 2, 0x4, 0x4, 0),  # MS_SYNC
    Answer("prctl", 0, WORD, 62, errno.EINVAL),  # PR_SCHED_CORE: nobody else may use the other half of a core
    Answer("prctl", 0, WORD, 67, errno.EINVAL),  # PR_SET_MEMORY_MERGE
    Answer("prctl", 0, WORD, 22, errno.EINVAL),  # PR_SET_SECCOMP: a filter can write every call to the kernel's log
    Answer("ioctl", 1, 0xFF00, 0x8900, errno.EPERM),  # of networks: the kernel loads modules for bridges and VLANs
    Answer("madvise", 2, WORD, 12, errno.EINVAL),  # MADV_MERGEABLE
    *(Answer("setsockopt", 2, WORD, option, errno.EPERM) for option in (26, 51)),  # SO_ATTACH_FILTER, _REUSEPORT_CBPF
    Answer("mmap", 3, 0x4_0000, 0x4_0000, errno.EPERM),  # MAP_HUGETLB
    Answer("memfd_create", 1, 0x4, 0x4, errno.EPERM),  # MFD_HUGETLB
)
"""Nobody uses up what the whole machine shares, or has the kernel run code.

All that a program can write is in memory, so that waiting for the disk is only good for keeping others from it. Equal
pages that the kernel merges tell one sandbox what is in another. Huge pages are counted by no limit of memory.
"""
BESIDES = FIRST_PROCESS + CORE_DUMPS + TERMINALS + NEIGHBOURS + MACHINE


class Filters(NamedTuple):
    """The programs for the kernel, in the order in which they are installed."""

    besides: bytes
    allowed: bytes


@functools.cache
def filters(*, counted: bool) -> Filters:
    """Compile the filters; `counted` says that a control group counts the memory of all processes together.

    Where none does, memory that outlives the process which filled it is refused: nobody could find out whose it is.
    """
    import pyseccomp as seccomp  # noqa: PLC0415 - loads a shared library; only sandboxes need it

    allowed = seccomp.SyscallFilter(defaction=seccomp.NOTIFY)
    allowed.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)  # a tree: the list is long
    besides = seccomp.SyscallFilter(defaction=seccomp.ALLOW)

    def add(made: Any, action: int, call: str, *arguments: tuple[int, int, int], given: int | None = None) -> None:
        """Add a rule, unless this machine's library or kind of processor has no such call."""
        conditions = [seccomp.Arg(index, seccomp.MASKED_EQ, mask, value) for index, mask, value in arguments]
        conditions += [seccomp.Arg(given, seccomp.NE, 0)] if given is not None else []
        if seccomp.resolve_syscall(seccomp.Arch.NATIVE, call) >= 0:
            made.add_rule(action, call, *conditions)

    for call in (FILES + MEMORY + PROCESSES + SIGNALS_AND_TIME + LOCAL_SOCKETS).split():
        add(allowed, seccomp.ALLOW, call)
    add(allowed, seccomp.ALLOW, "clone", (0, NEW_NAMESPACES, 0))
    for call in ("socket", "socketpair"):  # the kernel loads the module of any other family that is named
        add(allowed, seccomp.ALLOW, call, (0, WORD, socket.AF_UNIX))
    for personality in (0, WORD):  # the usual one, and the question which one it is
        add(allowed, seccomp.ALLOW, "personality", (0, WORD, personality))
    if counted:
        add(allowed, seccomp.ALLOW, "memfd_create")
        add(allowed, seccomp.ALLOW, "mmap")
    else:
        for flags in (0, SHARED, ANONYMOUS):
            add(allowed, seccomp.ALLOW, "mmap", (3, SHARED | ANONYMOUS, flags))
    for call, error in SILENT.items():
        add(allowed, seccomp.ERRNO(error), call)
    add(allowed, seccomp.ERRNO(errno.EPERM), "socket", (0, WORD, socket.AF_NETLINK))  # lists of interfaces: none here
    for answer in BESIDES:
        condition = [(answer.argument, answer.mask, answer.value)] if answer.mask else []
        add(besides, seccomp.ERRNO(answer.error), answer.call, *condition, given=answer.given)
    return Filters(_exported(besides), _exported(allowed))


def _exported(made: Any) -> bytes:
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def call_name(number: int) -> str:
    """Return the name of a system call."""
    import pyseccomp as seccomp  # noqa: PLC0415 - loads a shared library

    try:
        return str(seccomp.resolve_syscall(seccomp.Arch.NATIVE, number), "ascii")
    except (OSError, RuntimeError, ValueError):
        return str(number)
