"""A program that a model wrote: what it may do, and every way out that was tried."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from aliquot.errors import UsageError
from aliquot.systems.sandbox import Execution, Limits, ProgramRequest, run_program


def run(source: str, *, files: dict[str, str] | None = None, **limits: float) -> Execution:
    held = Limits(**limits)  # type: ignore[arg-type]
    return asyncio.run(run_program(ProgramRequest(source=source, files=files or {}, limits=held)))


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")


def needs(held: Execution, *layers: str) -> None:
    lacking = set(layers) - set(held.held)
    if lacking:
        pytest.skip(f"this kernel does not offer: {', '.join(sorted(lacking))}")


def test_a_program_runs_and_says_how_it_ended() -> None:
    found = run(
        "from help_me import double\nprint(double(21))", files={"help_me.py": "def double(x): return 2 * x"}
    )
    assert found.ending == "exited", found.err
    assert found.passed
    assert found.out == "42\n"
    assert "limits" in found.held


def test_an_error_is_told_with_its_words() -> None:
    found = run("assert 1 == 2, 'not equal'")
    assert (found.ending, found.code, found.passed) == ("exited", 1, False)
    assert "not equal" in found.err


def test_it_has_no_environment_no_input_and_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-this-test")
    found = run(
        "import os, sys\nprint(sorted(os.environ))\nprint(repr(sys.stdin.read()))\n"
        "open('note.txt', 'w').write('x')\nprint(sorted(os.listdir('.')))\nprint(os.getcwd())"
    )
    names, entered, listed, folder = found.out.splitlines()
    assert "OPENAI_API_KEY" not in names
    assert entered == "''"
    assert listed == "['note.txt', 'program.py']"
    assert not Path(folder).exists()


@pytest.mark.parametrize(
    ("source", "seconds", "ending"),
    [
        ("while True: pass", 1.0, "timeout"),
        ("import time\ntime.sleep(60)", 1.0, "timeout"),
        (
            "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
            1.0,
            "timeout",
        ),
        (
            "while True: print('x' * 1000)",
            60.0,
            "output",
        ),  # ended by its output, however slowly Python starts
        ("import sys\nwhile True: sys.stderr.write('x' * 1000)", 60.0, "output"),
    ],
)
def test_endless_programs_end(source: str, seconds: float, ending: str) -> None:
    found = run(source, seconds=seconds, output_bytes=10_000)
    assert found.ending == ending
    assert len(found.out) + len(found.err) <= 10_000


def test_memory_is_bounded() -> None:
    found = run("held = bytearray(4 << 30)", memory_bytes=1 << 29)
    assert not found.passed
    assert "MemoryError" in found.err


def test_files_are_bounded() -> None:
    found = run("with open('big', 'wb') as f:\n    f.write(b'x' * (1 << 22))", file_bytes=1 << 20)
    assert not found.passed


@needs_linux
@pytest.mark.parametrize(
    "source",
    [
        "import os\nwhile True: os.fork()",
        "import subprocess, sys\nsubprocess.run(['/bin/true'])",
        "import multiprocessing as m\nm.get_context('spawn').Process(target=print).start()",
        "import os\nos.posix_spawn('/bin/true', ['true'], {})",
        "import os\nos.kill(os.getppid(), 9)",
        "import os\nos.kill(-1, 9)",
        "import signal, os\nsignal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)",
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nassert libc.ptrace(16, 1, 0, 0) == 0",
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nassert libc.unshare(0x10000000) == 0",
    ],
)
def test_no_process_is_started_and_none_is_signalled(source: str) -> None:
    found = run(source, seconds=5.0)
    needs(found, "processes")
    assert (found.ending, found.code) == ("exited", 1), (found.ending, found.err)


@needs_linux
def test_threads_still_work() -> None:
    found = run("import threading\nt = threading.Thread(target=lambda: print('in'))\nt.start()\nt.join()")
    assert found.out == "in\n", found.err


@needs_linux
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"])
def test_no_socket_is_opened(family: str) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.setblocking(False)
        port = listening.getsockname()[1]
        found = run(
            f"import socket\ns = socket.socket(socket.{family}, socket.SOCK_RAW if '{family}' == 'AF_NETLINK' else 1)\n"
            f"s.connect(('127.0.0.1', {port}))"
        )
        needs(found, "network")
        assert "PermissionError" in found.err
        with pytest.raises(BlockingIOError):
            listening.accept()


@needs_linux
def test_nothing_outside_is_read_or_written(tmp_path: Path) -> None:
    secret, target = tmp_path / "secret.txt", tmp_path / "written.txt"
    secret.write_text("a secret", encoding="utf-8")
    tries = [
        f"open({str(secret)!r}).read()",
        f"open({str(target)!r}, 'w').write('x')",
        f"os.remove({str(secret)!r})",
        f"os.rename({str(secret)!r}, 'mine')",
        f"os.symlink({str(secret)!r}, 'link'); print(open('link').read())",
        f"os.link({str(secret)!r}, 'hard'); print(open('hard').read())",
        f"os.mkdir({str(tmp_path / 'folder')!r})",
        "open('/etc/passwd').read()",
        f"open('/proc/{os.getpid()}/environ').read()",
        "os.listdir('/')",
        "os.mkfifo('/tmp/aliquot-fifo')",
        f"os.truncate({str(secret)!r}, 0)",
        "os.chroot('.')",
    ]
    for source in tries:
        found = run(f"import os\n{source}", seconds=5.0)
        needs(found, "files")
        assert found.code == 1, (source, found.out)
        assert "Error" in found.err, source
    assert secret.read_text(encoding="utf-8") == "a secret"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.txt"]


@needs_linux
def test_nothing_outside_is_changed_in_what_it_is(tmp_path: Path) -> None:
    """Landlock watches no mode, time, owner or attribute, and its first versions no length by name."""
    kept = tmp_path / "kept.txt"
    kept.write_text("kept", encoding="utf-8")
    before = kept.stat()
    found = run(
        "import contextlib, os\n"
        f"name = {str(kept)!r}\n"
        "calls = [lambda: os.chmod(name, 0o777), lambda: os.utime(name, (0, 0)), lambda: os.truncate(name, 0),\n"
        "         lambda: os.chown(name, 12345, 12345), lambda: os.setxattr(name, 'user.x', b'1')]\n"
        "for call in calls:\n    with contextlib.suppress(OSError):\n        call()\n"
    )
    needs(found, "files", "processes")
    assert found.ending == "exited"
    after = kept.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_size, after.st_uid) == (
        before.st_mode, before.st_mtime_ns, before.st_size, before.st_uid,
    )  # fmt: skip
    assert os.listxattr(kept) == []


@needs_linux
def test_files_are_copied_in_the_folder_all_the_same() -> None:
    found = run("import shutil\nopen('a', 'w').write('x')\nshutil.copy2('a', 'b')\nprint(open('b').read())")
    assert found.out == "x\n", found.err


@needs_linux
def test_becoming_another_program_frees_nobody() -> None:
    found = run(
        "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'import os; os.fork(); print(1)'])"
    )
    needs(found, "processes")
    assert "PermissionError" in found.err


def test_a_file_s_name_stays_in_the_folder() -> None:
    for name in ("../x.py", "/tmp/x.py", "a/b.py", ""):
        with pytest.raises(UsageError, match="cannot name a file"):
            run("", files={name: ""})


def test_limits_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(UsageError, match="seconds is 0"):
        run("", seconds=0)


def test_programs_run_beside_each_other_and_a_cancelled_one_is_gone() -> None:
    async def both() -> None:
        slow = asyncio.create_task(run_program(ProgramRequest(source="import time\ntime.sleep(30)")))
        quick = [run_program(ProgramRequest(source=f"print({at})")) for at in range(4)]
        assert [found.out for found in await asyncio.gather(*quick)] == [f"{at}\n" for at in range(4)]
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow

    asyncio.run(both())
