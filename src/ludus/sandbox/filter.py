"""The system calls that a sandboxed program may not make, as a seccomp filter. Knows the kernel, no bots.

The namespaces already hide nearly everything; the filter also forbids new namespaces, mounts, tracing, keys, kernel
modules, and all sockets but local ones.
"""

from __future__ import annotations

import errno
import functools
import socket
import tempfile

FORBIDDEN = (
    *("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig", "fspick"),
    *("mount_setattr", "unshare", "setns", "open_by_handle_at", "name_to_handle_at", "quotactl", "swapon", "swapoff"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise"),
    *(
        "bpf",
        "perf_event_open",
        "userfaultfd",
        "io_uring_setup",
        "io_uring_enter",
        "io_uring_register",
        "fanotify_init",
    ),
    *("add_key", "keyctl", "request_key", "init_module", "finit_module", "delete_module", "kexec_load"),
    *("kexec_file_load", "reboot", "syslog", "acct", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    *("iopl", "ioperm", "personality", "vhangup", "sethostname", "setdomainname", "nfsservctl", "lookup_dcookie"),
)
NEW_NAMESPACES = (0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000)
"""The flags of clone that make a namespace: mount, cgroup, uts, ipc, user, pid, net."""
PUSH_INPUT = 0x5412
"""The ioctl that types into a terminal."""
OWN_SOCKETS = socket.AF_UNIX


@functools.cache
def program() -> bytes:
    """Compile the filter."""
    import pyseccomp as seccomp  # noqa: PLC0415 - loads a shared library; only sandboxes need it

    refuse = seccomp.ERRNO(errno.EPERM)
    made = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    for call in FORBIDDEN:
        try:
            made.add_rule(refuse, call)
        except (OSError, RuntimeError, ValueError):
            continue  # this machine's library, or its kind of processor, has no such call
    for flag in NEW_NAMESPACES:
        made.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    made.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags are out of sight; libraries fall back to clone
    made.add_rule(refuse, "ioctl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, PUSH_INPUT))
    made.add_rule(refuse, "socket", seccomp.Arg(0, seccomp.NE, OWN_SOCKETS))
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()
