"""Confines a process, then becomes the program it was told to run. Stands alone: it is started as a script.

What the system offers is used, and what is in force is written to a pipe as JSON before the program starts: limits of
resources everywhere; on Linux, Landlock for files (kernel 5.13) and a seccomp filter against sockets, new processes,
signals to others, changes of what files are and the doors out of all (x86-64 and AArch64).
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import resource
import stat
import struct
import sys
from collections.abc import Iterable
from typing import Any, Final

PR_SET_NO_NEW_PRIVS: Final = 38
PR_SET_SECCOMP: Final = 22
SECCOMP_MODE_FILTER: Final = 2
ALLOW: Final = 0x7FFF0000
REFUSE: Final = 0x00050000 | 1  # EPERM
PRETEND: Final = 0x00050000  # no error, and nothing done
NO_SUCH_CALL: Final = (
    0x00050000 | 38
)  # ENOSYS: the C library then uses the older call, whose flags can be read
KILL: Final = 0x80000000
LOAD, JUMP_EQUAL, JUMP_ANY_BIT, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06  # BPF operations
CLONE_THREAD: Final = 0x10000
X32: Final = 0x40000000

MACHINES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH of the machines whose numbers of system calls are known here."""

CALLS: Final[dict[str, dict[str, int]]] = {
    "x86_64": {
        "clone": 56, "clone3": 435, "tgkill": 234, "prlimit64": 302, "fork": 57, "vfork": 58, "socket": 41,
        "kill": 62, "tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424,
        "pidfd_open": 434, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "mount": 165,
        "umount2": 166, "unshare": 272, "setns": 308, "bpf": 321, "keyctl": 250, "add_key": 248,
        "request_key": 249, "io_uring_setup": 425, "perf_event_open": 298, "userfaultfd": 323, "chroot": 161,
        "pivot_root": 155, "setrlimit": 160, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240,
        "reboot": 169, "init_module": 175, "finit_module": 313, "kexec_load": 246, "setpriority": 141,
        "sched_setscheduler": 144, "sched_setattr": 314, "settimeofday": 164, "clock_settime": 227, "sethostname": 170,
        "open_by_handle_at": 304, "mknod": 133, "mknodat": 259, "chmod": 90, "fchmod": 91, "fchmodat": 268,
        "fchmodat2": 452, "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280, "chown": 92, "fchown": 93,
        "lchown": 94, "fchownat": 260, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463,
        "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "removexattrat": 466, "file_setattr": 469,
        "truncate": 76,
    },
    "aarch64": {
        "clone": 220, "clone3": 435, "tgkill": 131, "prlimit64": 261, "socket": 198, "kill": 129, "tkill": 130,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd_send_signal": 424, "pidfd_open": 434, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "mount": 40, "umount2": 39, "unshare": 97, "setns": 268,
        "bpf": 280, "keyctl": 219, "add_key": 217, "request_key": 218, "io_uring_setup": 425,
        "perf_event_open": 241, "userfaultfd": 282, "chroot": 51, "pivot_root": 41, "setrlimit": 164,
        "shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180, "reboot": 142, "init_module": 105,
        "finit_module": 273, "kexec_load": 104, "setpriority": 140, "sched_setscheduler": 119, "sched_setattr": 274,
        "settimeofday": 170, "clock_settime": 112, "sethostname": 161, "open_by_handle_at": 265, "mknodat": 33,
        "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "utimensat": 88, "fchown": 55, "fchownat": 54, "setxattr": 5,
        "lsetxattr": 6, "fsetxattr": 7, "setxattrat": 463, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
        "removexattrat": 466, "file_setattr": 469, "truncate": 45,
    },
}  # fmt: skip
"""What is refused, or looked at. Landlock watches no change of a file's mode, times, owner or attributes, and its first
versions none of its length by name."""

PRETENDED: Final = frozenset(
    {"chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes", "futimesat", "utimensat"}
)
"""Calls that do nothing and say that they did: copying a file ends with them."""

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
LANDLOCK_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Rights on files that each version of Landlock knows, as a number of bits; later versions know those of 5."""
EXECUTE_AND_READ: Final = 0b1101  # execute, read a file, list a folder
READ_AND_WRITE_FILE: Final = 0b110
ON_FILES: Final = 0b0100_0000_0000_0111
"""Rights that a single file can have: execute, write, read, truncate."""


def confine(limits: dict[str, int], *, folder: str, readable: Iterable[str]) -> list[str]:
    """Confine this process for good and return what is in force.

    Args:
        limits: ``memory_bytes``, ``cpu_s``, ``file_bytes``, ``files``.
        folder: the one folder that may be written to.
        readable: what may be read.
    """
    for name, most, last in (
        (resource.RLIMIT_AS, limits["memory_bytes"], 0),
        (resource.RLIMIT_CPU, limits["cpu_s"], 1),  # at the first it is told so (SIGXCPU), at the last killed
        (resource.RLIMIT_FSIZE, limits["file_bytes"], 0),
        (resource.RLIMIT_NOFILE, limits["files"], 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        try:
            resource.setrlimit(name, (most, most + last))
        except (OSError, ValueError):  # macOS refuses some; the time limit of the parent stays
            continue
    held = ["limits"]
    if sys.platform != "linux":
        return held
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return held
    if _restrict_files(libc, folder, readable):
        held.append("files")
    if _restrict_calls(libc):
        held += ["network", "processes"]
    return held


def _restrict_files(libc: Any, folder: str, readable: Iterable[str]) -> bool:
    version = libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = (1 << LANDLOCK_RIGHTS.get(version, 16)) - 1
    rules = libc.syscall(LANDLOCK_CREATE, struct.pack("=Q", handled), ctypes.c_size_t(8), 0)
    if rules < 0:
        return False
    device = handled & READ_AND_WRITE_FILE
    allowed = [(path, handled & EXECUTE_AND_READ) for path in readable]
    allowed += [(folder, handled), ("/dev/null", device), ("/dev/zero", device), ("/dev/urandom", device)]
    for path, rights in allowed:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        most = handled if stat.S_ISDIR(os.fstat(opened).st_mode) else ON_FILES
        libc.syscall(LANDLOCK_ADD, rules, 1, struct.pack("=Qi", rights & most, opened), 0)
        os.close(opened)
    done = libc.syscall(LANDLOCK_RESTRICT, rules, 0) == 0
    os.close(rules)
    return done


def _restrict_calls(libc: Any) -> bool:
    machine = platform.machine()
    if machine not in MACHINES or struct.calcsize("P") != 8:
        return False
    program = b"".join(_filter(MACHINES[machine], dict(CALLS[machine]), own=os.getpid()))
    held = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    return libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head, 0, 0) == 0


def _filter(machine: int, calls: dict[str, int], *, own: int) -> Iterable[bytes]:
    """Yield the instructions of the filter: the calls that depend on an argument first, then those refused always."""

    def step(code: int, value: int, when: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("HBBI", code, when, otherwise, value)

    number, arch, first, third = 0, 4, 16, 32  # places in struct seccomp_data (low halves of the arguments)
    yield step(LOAD, arch)
    yield step(JUMP_EQUAL, machine, 1, 0)
    yield step(RETURN, KILL)
    yield step(LOAD, number)
    yield step(JUMP_AT_LEAST, X32, 0, 1)
    yield step(RETURN, KILL)
    yield step(JUMP_EQUAL, calls.pop("clone3"), 0, 1)
    yield step(RETURN, NO_SUCH_CALL)
    yield step(JUMP_EQUAL, calls.pop("clone"), 0, 4)  # a thread is no new process
    yield step(LOAD, first)
    yield step(JUMP_ANY_BIT, CLONE_THREAD, 0, 1)
    yield step(RETURN, ALLOW)
    yield step(RETURN, REFUSE)
    yield step(JUMP_EQUAL, calls.pop("tgkill"), 0, 4)  # abort() signals itself
    yield step(LOAD, first)
    yield step(JUMP_EQUAL, own, 0, 1)
    yield step(RETURN, ALLOW)
    yield step(RETURN, REFUSE)
    yield step(
        JUMP_EQUAL, calls.pop("prlimit64"), 0, 6
    )  # limits may be read, not set: a root process could raise them
    yield step(LOAD, third)
    yield step(JUMP_EQUAL, 0, 0, 3)
    yield step(LOAD, third + 4)
    yield step(JUMP_EQUAL, 0, 0, 1)
    yield step(RETURN, ALLOW)
    yield step(RETURN, REFUSE)
    for name, call in calls.items():
        yield step(JUMP_EQUAL, call, 0, 1)
        yield step(RETURN, PRETEND if name in PRETENDED else REFUSE)
    yield step(RETURN, ALLOW)


def main() -> None:
    """Confine this process as the JSON of the first argument says, tell what is in force, and run the rest."""
    told = json.loads(sys.argv[1])
    held = confine(told["limits"], folder=told["folder"], readable=told["readable"])
    os.write(told["pipe"], json.dumps(held).encode())
    os.close(told["pipe"])
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - the whole point: this process becomes the confined program


if __name__ == "__main__":
    main()
