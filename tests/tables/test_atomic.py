"""Tests of `tables/atomic.py`."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.cli.cluster import feature_files
from kernelspec.errors import DataError, FileError
from kernelspec.tables.atomic import (
    atomic_path,
    check_name,
    closed_quietly,
    reading,
    remove_abandoned,
    write_bytes_atomically,
    writing,
)
from kernelspec.tables.formats import create_features, open_table


def test_writes_and_replaces(tmp_path: Path) -> None:
    target = tmp_path / "map.npz"
    write_bytes_atomically(target, b"one")
    write_bytes_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["map.npz"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_anything_raised_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "old.json"
    target.write_text("old")

    def fail_half_way() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail_half_way()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["old.json"]


def test_an_interrupt_as_soon_as_there_is_a_file_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(file: int) -> None:
        assert len(os.listdir(tmp_path)) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelspec.tables.atomic._lock", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_bytes_atomically(tmp_path / "map.npz", b"one")
    assert os.listdir(tmp_path) == []


def test_longest_file_name(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 251 + ".npz")
    write_bytes_atomically(target, b"x")
    assert target.exists()


def test_permissions_as_open_would_give_them(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_bytes_atomically(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_bytes_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_temporary_file_removed_by_the_body(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written: No such file"), atomic_path(tmp_path / "a") as temporary:
        temporary.unlink()
    assert os.listdir(tmp_path) == []


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"):
        write_bytes_atomically(tmp_path, b"")
    with pytest.raises(FileError, match=r"the folder '.*missing' does not exist"):
        write_bytes_atomically(tmp_path / "missing" / "a", b"")
    with pytest.raises(FileError, match="pipe or device"):
        write_bytes_atomically(Path("/dev/null"), b"")


@pytest.mark.parametrize("call", ["open", "replace"])
def test_a_folder_that_refuses_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(arguments[0]))

    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, call, refuse)  # root may write anywhere, so that a folder of mode 500 proves nothing
    with pytest.raises(FileError, match=r"a: cannot be written: Permission denied"):
        write_bytes_atomically(tmp_path / "a", b"new")
    monkeypatch.undo()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are renamed and removed only when nobody has them open, as on Windows."""

    def closed(call: Callable[..., None]) -> Callable[..., None]:
        def refusing(path: Path, *others: Path) -> None:
            opened = {os.path.realpath(f"/proc/self/fd/{file}") for file in os.listdir("/proc/self/fd")}
            if os.path.realpath(path) in opened:
                raise PermissionError(errno.EACCES, "being used by another process", str(path))
            call(path, *others)

        return refusing

    for name in ("replace", "unlink"):
        monkeypatch.setattr(os, name, closed(getattr(os, name)))


WRITERS: dict[str, list[str]] = {
    "z.npy": ["features", "-e", "gaussian()", "x.csv", "-o", "z.npy"],
    "dense.npz": ["features", "-e", "gaussian()", "x.csv", "-o", "dense.npz"],
    "sparse.npz": ["features", "-e", "match()", "x.csv", "-o", "sparse.npz"],
    "z.parquet": ["features", "-e", "gaussian()", "x.csv", "-o", "z.parquet"],
    "map.npz": ["features", "-e", "gaussian()", "x.csv", "-o", "other.npy", "--save-map", "map.npz"],
    "a.kernel": ["fmt", "a.kernel"],
    "z.png": ["plot", "-e", "gaussian()", "-o", "z.png"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_closes_its_file_before_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, windows: None, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "fcntl", None)  # Windows has no locks
    Path("x.csv").write_text("a,b\n1,2\n3,5\n")
    Path("a.kernel").write_text("gaussian( )")
    Path(name).write_text("gaussian( )")
    Path(name).chmod(0o640)
    result = CliRunner().invoke(main, WRITERS[name], catch_exceptions=False)
    assert (result.exit_code, Path(name).stat().st_mode & 0o777) == (0, 0o640), result.stderr
    assert Path(name).read_bytes() != b"gaussian( )"
    assert not list(tmp_path.glob(".kernelspec-*"))


def test_a_file_that_is_given_up_is_closed_before_it_is_removed(tmp_path: Path, windows: None) -> None:
    for name in ("z.npy", "z.npz", "z.parquet"):
        with (
            pytest.raises(FileError, match="given up"),
            create_features(tmp_path / name, names=["a"], dtype="f8", sparse=False),
        ):
            raise FileError("given up")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o666, 0o754])
def test_what_is_private_is_private_while_it_is_written(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "private"
    target.write_bytes(b"")
    target.chmod(mode)
    before = os.umask(0o077)
    try:
        with atomic_path(target) as temporary:
            assert temporary.stat().st_mode & 0o777 == mode | 0o600
            temporary.write_bytes(b"new")
    finally:
        os.umask(before)
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", mode)


def test_nothing_is_removed_between_the_end_of_writing_and_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def cleaned_meanwhile(source: Path, target: Path) -> None:
        remove_abandoned(tmp_path)  # as another process would that writes to the same place now
        rename(source, target)

    monkeypatch.setattr(os, "replace", cleaned_meanwhile)
    write_bytes_atomically(tmp_path / "a", b"whole")
    assert (tmp_path / "a").read_bytes() == b"whole"


HALF = """
import sys
from pathlib import Path
from kernelspec.tables.atomic import atomic_path
with atomic_path(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    print(temporary, flush=True)
    sys.stdin.read()
    temporary.write_text(sys.argv[2])
"""


def begin_writing(target: Path, text: str = "whole") -> tuple[subprocess.Popen[str], Path]:
    """Another process that has written half of its file, and goes on when its input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HALF, str(target), text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.mark.slow
def test_what_a_killed_process_left_goes_with_the_next_write_to_the_same_place(tmp_path: Path) -> None:
    process, left = begin_writing(tmp_path / "a.npy")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert left.exists()
    write_bytes_atomically(tmp_path / "b.npy", b"elsewhere")
    assert left.exists()
    write_bytes_atomically(tmp_path / "a.npy", b"new")
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "b.npy"]


@pytest.mark.slow
def test_two_writers_to_one_place_write_a_whole_file_each(tmp_path: Path) -> None:
    target = tmp_path / "a.npy"
    first, left = begin_writing(target, "first")
    second, other = begin_writing(target, "second")
    assert left != other
    write_bytes_atomically(target, b"third")
    assert {left.name, other.name, "a.npy"} == set(os.listdir(tmp_path))
    for process, text in ((second, "second"), (first, "first")):
        process.communicate()
        assert process.returncode == 0
        assert target.read_text() == text
    assert os.listdir(tmp_path) == ["a.npy"]


def test_files_of_other_programs_are_let_alone(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "a.npy") as temporary:
        beginning = temporary.name.rsplit("-", 1)[0]
    (tmp_path / ".kernelspec-0123456789abcdef.npy").write_text("of version 0.1, which has no locks")
    (tmp_path / f"{beginning}.folder").mkdir()
    write_bytes_atomically(tmp_path / "a.npy", b"x")
    assert len(os.listdir(tmp_path)) == 3


@pytest.mark.slow
def test_without_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    process, left = begin_writing(tmp_path / "a.npy")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    monkeypatch.setattr("kernelspec.tables.atomic._lock", refuse)
    write_bytes_atomically(tmp_path / "a.npy", b"new")
    assert (tmp_path / "a.npy").read_bytes() == b"new"
    assert left.exists()


PATH = Path("a.npz")


@pytest.mark.parametrize("error", [OSError("x"), ValueError("x\ny"), KeyError("x"), EOFError(), RuntimeError("x")])
def test_reading_translates(error: Exception) -> None:
    message = r"a\.npz: damaged, or not an NPZ file: ('?x'?|EOFError)$"
    with pytest.raises(FileError, match=message) as caught, reading(PATH, "an NPZ file"):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [DataError("x"), FileError("x"), MemoryError(), KeyboardInterrupt()])
def test_reading_lets_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, reading(PATH, "an NPZ file"):
        raise error
    assert caught.value is error


def test_permission_and_long_reasons() -> None:
    with pytest.raises(FileError, match="no permission to read it"), reading(PATH, "CSV"):
        raise PermissionError(errno.EACCES, "denied")
    with pytest.raises(FileError, match=r": x{200}…$"), reading(PATH, "CSV"):
        raise ValueError("x" * 1000)
    with pytest.raises(FileError, match=r"a\.npz: cannot be read: Input/output error$"), reading(PATH, "CSV"):
        raise OSError(errno.EIO, "detail")


def test_writing() -> None:
    with pytest.raises(FileError, match=r"a\.npz: cannot be written: No space left on device$"), writing(PATH):
        raise OSError(errno.ENOSPC, "detail")
    with pytest.raises(FileError, match=r"a\.npz: cannot be written: odd$"), writing(PATH):
        raise OSError("odd")
    with pytest.raises(FileError, match=r"^ours$"), writing(PATH):
        raise FileError("ours")
    with pytest.raises(ValueError, match=r"^a bug$"), writing(PATH):
        raise ValueError("a bug")


def test_closing_quietly() -> None:
    class Failing:
        def close(self) -> None:
            raise OSError("disk full")

    with pytest.raises(ValueError, match="the reason"), closed_quietly(Failing()):
        raise ValueError("the reason")


PLACES: dict[str, Callable[[str], object]] = {
    "map written": lambda name: ks.compile("gaussian()", dim=2, n_features=4).save(name),
    "map read": ks.load_map,
    "spec": ks.load,
    "table": lambda name: open_table(f"{name}.csv"),
    "folder": lambda name: feature_files(["part.csv"], name, sparse=False, is_complex=False),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("name", ["x\0y", "\0", "half of a pair \ud800"])
def test_every_place_refuses_them(name: str, place: Callable[[str], object]) -> None:
    with pytest.raises(FileError):
        place(name)


def test_names_of_bytes_that_are_no_text_are_names() -> None:
    check_name("\udcff.csv")  # how Python writes the byte 255
    check_name(Path("ä b.csv"))
    with pytest.raises(FileError, match=r"^'x\\x00y' is not a valid file name$"):
        check_name("x\0y")
