"""Tables on standard input: every command that reads rows, and the copy on disk."""

from __future__ import annotations

import gzip
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.cli import cluster
from tests.cli.conftest import ENVIRONMENT, Run

SPEC = "gaussian(scale=1)[a]"


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """A table, which is also the file s.csv in the current folder; temporary files are below it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    generator = np.random.default_rng(0)
    found = pd.DataFrame({"id": [f"{i:03}" for i in range(60)], "a": generator.normal(size=60).round(6)})
    found["y"] = np.sin(found.a).round(6)
    found.to_csv("s.csv", index=False)
    return found


def leftovers() -> list[Path]:
    return list(Path("temporary").iterdir())


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (("verify", "--n-maps", "100"), None),
        (("explain", "--n-features", "64"), None),
        (("explain", "--target", "y"), None),
        (("suggest", "--target", "y"), None),
        (("tune", "--target", "y"), None),
        (("gram",), "csv"),
        (("features", "--n-features", "8"), "csv"),
        (("report",), "html"),
        (("plot", "--what", "landmarks", "--method", "nystrom"), "svg"),
    ],
)
def test_every_command_that_reads_rows_reads_them_there(
    command: tuple[str, ...], output: str | None, run: Run, rows: pd.DataFrame
) -> None:
    """What a command says of a file, it says of standard input."""
    spec = [] if command[0] == "suggest" else ["-e", SPEC]
    found = []
    for source, text in (("s.csv", None), ("-", Path("s.csv").read_bytes())):
        place = None if output is None else Path(f"out.{output}")
        ended = run(*command, *spec, source, *([] if place is None else ["-o", place]), text=text)
        assert ended.exit_code == 0 or command[0] == "verify", ended.output  # 100 maps are few
        own = ended.stdout if place is None else place.read_text(encoding="utf-8")
        own = (
            own.partition("Quantiles of k")[2].partition("</table>")[0] if output == "html" else own
        )  # pages also have times
        own = own.replace("s.csv", "standard input")
        found.append(re.sub(r"\b[pm][0-9a-f]{10}\b|<dc:date>.*", "", own))  # names in pictures are random
    assert found[0] == found[1]
    assert not leftovers()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("suffix", "start"), [("csv", b""), ("tsv", b""), ("jsonl", b""), ("jsonl", b"\xef\xbb\xbf"), ("jsonl", b"\r\n  ")]
)
def test_the_format_of_text_is_seen(suffix: str, start: bytes, packed: bool, run: Run, rows: pd.DataFrame) -> None:
    separator = "\t" if suffix == "tsv" else ","
    own = rows.to_json(orient="records", lines=True) if suffix == "jsonl" else rows.to_csv(index=False, sep=separator)
    text = start + own.encode()
    ended = run("gram", "-e", SPEC, "-", "-o", "k.npy", text=gzip.compress(text) if packed else text)
    assert ended.exit_code == 0, ended.output
    difference = np.subtract.outer(rows.a.to_numpy(), rows.a.to_numpy())
    np.testing.assert_allclose(np.load("k.npy"), np.exp(-(difference**2) / 2), rtol=1e-12)


@pytest.mark.parametrize(
    "command", [("gram", "-"), ("verify", "-"), ("explain", "-"), ("tune", "--target", "y", "-"), ("plot", "-")]
)
def test_it_is_read_once(command: tuple[str, ...], run: Run, rows: pd.DataFrame) -> None:
    options = {"gram": ["-o", "k.npy"], "plot": ["--what", "error", "-o", "k.svg"]}.get(command[0], [])
    ended = run(*command, "-", *options, text=SPEC)
    assert ended.exit_code == 2
    assert "standard input (-) can be read once" in ended.output


def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk whose free space ends."""
    left = iter([2**40, 2**31, 2**29])
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=2**41, used=0, free=next(left)))


def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes no more than 1 MB of a file, which the system says as of a full one."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, before[1]))


@pytest.mark.parametrize("disk", [endless, limited])
def test_the_copy_leaves_room_and_names_its_folder(
    disk: Callable[[pytest.MonkeyPatch], None], run: Run, rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"a\n" + b"1\n" * (2**25 + 2**24 if disk is endless else 10**6)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        disk(monkeypatch)
        ended = run("features", "-e", SPEC, "-", "-o", "f.npy", "-q", text=text)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ended.exit_code == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"{Path('temporary').resolve()}: cannot hold a copy of standard input: ")
    assert line.endswith("; name a file instead of -, or a folder on a larger disk in TMPDIR")
    assert not leftovers()
    assert not Path("f.npy").exists()


@pytest.mark.parametrize("suffix", ["feather", "arrow", "parquet", "jsonl"])
@pytest.mark.parametrize("command", ["features", "predict"])
def test_kept_numbers_are_numbers(command: str, suffix: str, run: Run, rows: pd.DataFrame) -> None:
    """Numbers of a CSV file keep their type, and numbers with leading zeros stay text."""
    rows.assign(n=range(60)).to_csv("n.csv", index=False)
    maker = ["-e", SPEC, "--n-features", "8"]
    if command == "predict":
        assert run("fit", "-e", SPEC, "n.csv", "--target", "y", "-o", "m.npz", "-q").exit_code == 0
        maker = ["m.npz"]
    ended = run(command, *maker, "n.csv", "--keep", "id,y,n", "-o", f"f.{suffix}", "-q")
    assert ended.exit_code == 0, ended.output
    readers = {
        "jsonl": lambda path: pd.read_json(path, lines=True, dtype=False, precise_float=True),
        "parquet": pd.read_parquet,
    }
    found = readers.get(suffix, pd.read_feather)(f"f.{suffix}")
    assert found.id.tolist() == rows.id.tolist()
    assert found.y.tolist() == rows.y.tolist()
    assert found.n.tolist() == list(range(60))


@pytest.mark.parametrize("command", [("fit", "--target", "y"), ("report",)])
def test_a_file_is_not_standard_output(command: tuple[str, ...], run: Run, rows: pd.DataFrame) -> None:
    ended = run(*command, "-e", SPEC, "-", "-o", "-", text=Path("s.csv").read_bytes())
    assert ended.exit_code == 2
    assert "-o - is not possible here: name a file" in ended.output


@pytest.mark.parametrize("suffix", ["csv", "feather"])
def test_rows_of_a_kernel_matrix_keep_their_names(suffix: str, run: Run, rows: pd.DataFrame) -> None:
    ended = run("gram", "-e", SPEC, "s.csv", "--keep", "id,y", "-o", f"k.{suffix}")
    assert ended.exit_code == 0, ended.output
    found = pd.read_csv("k.csv", dtype={"id": str}) if suffix == "csv" else pd.read_feather("k.feather")
    assert list(found)[:3] == ["id", "y", "row1"]
    assert found.id.tolist() == rows.id.tolist()
    np.testing.assert_allclose(found.row1, np.exp(-((rows.a - rows.a[0]) ** 2) / 2), rtol=1e-12)


def test_features_of_a_query(run: Run, rows: pd.DataFrame) -> None:
    """A spec and a saved map read a query as they read its file."""
    pytest.importorskip("duckdb")
    query = ["--engine", "duckdb", "FROM 's.csv'"]
    spec = ["-e", "gaussian()[standardize(a)]", "--n-features", "8", "-q"]
    for arguments in ([*spec, "s.csv", "-o", "f.npy", "--save-map", "m.npz"], [*spec, *query, "-o", "g.npy"]):
        ended = run("features", *arguments)
        assert ended.exit_code == 0, ended.output
    assert run("features", "m.npz", *query, "-o", "h.npy", "-q").exit_code == 0
    np.testing.assert_array_equal(np.load("g.npy"), np.load("f.npy"))
    np.testing.assert_array_equal(np.load("h.npy"), np.load("f.npy"))


@pytest.mark.parametrize("output", ["f.npy", "-"])
def test_a_query_that_fails_in_a_late_row(output: str, run: Run, rows: pd.DataFrame) -> None:
    """The query is at fault, not what is written."""
    pytest.importorskip("duckdb")
    pd.DataFrame({"s": [*map(str, range(100_000)), "oops"]}).to_parquet("late.parquet")
    query = "SELECT CAST(s AS DOUBLE) AS x FROM 'late.parquet'"
    ended = run("features", "-e", "gaussian()[x]", "--n-features", "8", "-q", "--engine", "duckdb", query, "-o", output)
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"the query {query!r} fails: Conversion Error")
    assert "oops" in ended.stderr


@pytest.mark.parametrize("compressed", [False, True])
def test_json_lines_in_another_encoding(compressed: bool, run: Run, rows: pd.DataFrame) -> None:
    """The line is counted over the whole file, of which 4 MiB are read at a time."""
    text = b'{"a": 1, "c": "m"}\n' * 300_000 + '{"a": 2, "c": "für"}\n'.encode("latin-1")
    path = Path("l.jsonl.gz" if compressed else "l.jsonl")
    path.write_bytes(gzip.compress(text) if compressed else text)
    ended = run("features", "-e", SPEC, path, "--keep", "c", "-o", "f.jsonl", "-q")
    assert (ended.exit_code, ended.stderr) == (2, f"{path}: line 300,001 is not UTF-8 text; save it as UTF-8\n")


@pytest.fixture
def model(run: Run, rows: pd.DataFrame) -> str:
    assert run("fit", "-e", SPEC, "s.csv", "--target", "y", "-o", "m.npz", "-q").exit_code == 0
    return "m.npz"


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arrow", "parquet"])
def test_categories_to_keep_may_differ_between_files(suffix: str, run: Run, model: str) -> None:
    for name, categories in (("a", ["u", "v", None]), ("b", ["v", "w", "z"])):
        pd.DataFrame({"a": range(3), "c": pd.Categorical(categories)}).to_parquet(f"{name}.parquet")
    ended = run("predict", model, "a.parquet", "b.parquet", "--keep", "c", "-o", f"o.{suffix}", "-q")
    assert ended.exit_code == 0, ended.output
    read = {"csv": pd.read_csv, "jsonl": lambda path: pd.read_json(path, lines=True), "arrow": pd.read_feather}
    found = read.get(suffix, pd.read_parquet)(f"o.{suffix}").c.astype(object)
    assert found.where(found.notna(), None).tolist() == ["u", "v", None, "v", "w", "z"]


@pytest.mark.parametrize("output", ["o.csv", "o.tsv", "-"])
@pytest.mark.parametrize("command", ["features", "predict"])
def test_a_column_to_keep_that_the_format_cannot_hold(command: str, output: str, run: Run, model: str) -> None:
    pd.DataFrame({"a": range(3), "c": ["u", "v", "w"], "items": [[1, 2], [3], []]}).to_parquet("a.parquet")
    maker = [model] if command == "predict" else ["-e", SPEC, "--n-features", "8"]
    ended = run(command, *maker, "a.parquet", "--keep", "c,items", "-o", output, "-q")
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"{output}: column 'items' has the type list<")
    assert ended.stderr.endswith(f", which {Path(output).suffix or '.csv'} files cannot hold\n")
    assert not Path(output).exists()


@pytest.mark.parametrize(
    ("arguments", "closed", "status"),
    [
        ("features -e gaussian(scale=1)[a] - -o f.npy -q", "<&-", 2),
        ("explain -", "<&-", 2),
        ("features -e gaussian(scale=1)[a] --n-features 8 s.csv -o - -q", ">&-", 2),
        ("explain -e gaussian() --dim 2", ">&-", 2),
        ("--help", ">&-", 2),
        ("features -e gaussian(scale=1)[a] --n-features 8 s.csv -o f.npy -q", ">&-", 0),
    ],
)
def test_closed_streams(arguments: str, closed: str, status: int, rows: pd.DataFrame) -> None:
    """A command that does not need the stream works without it."""
    words = shlex.join([sys.executable, "-m", "kernelspec", *arguments.split()])
    ended = subprocess.run(
        ["sh", "-c", f"{words} {closed}"], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    name = "input" if closed == "<&-" else "output"
    assert ended.returncode == status
    assert bool(ended.stderr) == bool(status)
    assert all(line.startswith(f"standard {name} is closed") for line in ended.stderr.splitlines())
    assert len(ended.stderr.splitlines()) == bool(status)


def test_no_folder_is_left_without_a_scheduler(run: Run, rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 1)
    ended = run("features", "-e", SPEC, "--engine", "dask", "s.csv", "-o", "out", "--scheduler", "tcp://127.0.0.1:9")
    assert ended.exit_code == 2
    assert "no Dask scheduler answers" in ended.output
    assert not Path("out").exists()


def test_what_is_not_a_table_is_named() -> None:
    with pytest.raises(ks.DataError, match="the table has no columns"):
        ks.parse(SPEC).gram({})
    for model in (ks.KernelRegressor(SPEC), ks.KernelClassifier(SPEC)):
        with pytest.raises(ks.DataError, match=r"'p\*\.parquet' is the name of a file.*fit_blocks"):
            model.fit("p*.parquet", ["y", "z"])
