"""Files that are not what their names promise."""

from __future__ import annotations

import gzip
import os
import pickle
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kernelspec.errors import FileError
from kernelspec.tables.table_reader import check_source

NPY = b"\x93NUMPY"


def parquet_bytes() -> bytes:
    stream = BytesIO()
    pq.write_table(pa.table({"a": [1.5]}), stream)
    return stream.getvalue()


def refusal(path: Path, kind: str = "a text file", signature: bytes = b"") -> str:
    with pytest.raises(FileError) as refused:
        check_source(path, kind, signature)
    prefix = f"{path}: "
    assert str(refused.value).startswith(prefix)
    return str(refused.value).removeprefix(prefix)


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"PAR1,PAR2\n1,2\n", "größe\n".encode(), b"\xef\xbb\xbfa\n1\n", b"x" * 5000, b"<a>,b\n"]
)
def test_text_has_its_size(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t").write_bytes(content)
    assert check_source(tmp_path / "t", "a text file", b"") == len(content)


def test_the_signature_is_enough(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.zeros(3))
    assert check_source(tmp_path / "t.npy", "an NPY file", NPY) == (tmp_path / "t.npy").stat().st_size
    (tmp_path / "t.parquet").write_bytes(parquet_bytes())
    assert check_source(tmp_path / "t.parquet", "a Parquet file", b"PAR1") == len(parquet_bytes())


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (parquet_bytes(), "a Parquet file"),
        (NPY + b"\x01\x00", "an NPY file"),
        (gzip.compress(b"a,b\n", mtime=0), "gzip data"),
        (b"PK\x03\x04rest", "a zip archive"),
        ("a,b\n".encode("utf-16"), "UTF-16 text (save it as UTF-8)"),
        (pickle.dumps([1.0], protocol=4), "a Python pickle"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a Git LFS pointer"),
        (b"\xef\xbb\xbf\r\n  <!DOCTYPE html>", "a web page (HTML)"),
        (b"<HTML>", "a web page (HTML)"),
    ],
)
def test_other_kinds_of_files(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "t").write_bytes(content)
    assert refusal(tmp_path / "t").startswith(f"holds {what}")
    assert refusal(tmp_path / "t").endswith("though its name promises a text file")
    assert refusal(tmp_path / "t", "an HDF file", b"\x00HDF").startswith(f"holds {what}")


def test_an_unknown_beginning(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"a,b,c,d,e\n")
    said = refusal(tmp_path / "t", "an NPY file", NPY)
    assert said == "is not an NPY file: it begins with b'a,b,c,d,' instead of b'\\x93NUMPY'"


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert refusal(tmp_path / "empty") == "is empty (0 bytes), and a text file is needed"
    assert refusal(tmp_path / "pipe") == "is a pipe or device; data are read from regular files"
    assert refusal(tmp_path) == "is a folder, and a text file is needed"
    assert refusal(tmp_path / "gone") == refusal(tmp_path / "link") == "no such file"


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").write_text("a\n")

    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal(tmp_path / "t") == "no permission to read it"
