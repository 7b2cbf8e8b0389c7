"""What `features` says about bad input, and that nothing half-written is left."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import ENVIRONMENT, Run

SPEC = "0.7*gaussian(scale=2) + 0.3*laplace(scale=3)"


def refused(run: Run, tmp_path: Path, *arguments: object) -> str:
    """The message of a run that is refused and leaves the folder as it was."""
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    result = run("features", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    return result.stderr


def test_missing_files(run: Run, tmp_path: Path) -> None:
    out, missing = tmp_path / "out.npy", tmp_path / "none.csv"
    assert refused(run, tmp_path, "-e", SPEC, missing, "-o", out) == f"{missing}: no such file\n"
    spec = tmp_path / "none.kernel"
    assert "cannot be read: No such file" in refused(run, tmp_path, spec, missing, "-o", out)
    assert "DATA is missing" in refused(run, tmp_path, "-e", SPEC, "-o", out)
    assert "SPEC is missing" in refused(run, tmp_path, "-o", out)
    assert "Missing option '-o'" in refused(run, tmp_path, "-e", SPEC, missing)


def test_names_that_no_file_can_have(run: Run, tmp_path: Path, people_csv: Path) -> None:
    out = tmp_path / "out.npy"
    for more in (["-o", "x\0y.npy"], ["-o", out, "--save-map", "x\0y.npz"]):
        said = refused(run, tmp_path, "-e", SPEC, people_csv, *more)
        assert said.endswith("is not a valid file name\n")


def test_unknown_column(run: Run, tmp_path: Path, people_csv: Path) -> None:
    out = tmp_path / "out.npy"
    message = refused(run, tmp_path, "-e", "gaussian()[balence]", people_csv, "-o", out)
    assert message == f"{people_csv}: unknown column 'balence'; did you mean 'balance'?\n"
    message = refused(run, tmp_path, "-e", "match()[contry]", people_csv, "-o", tmp_path / "out.npz")
    assert message == f"{people_csv}: unknown column 'contry'; did you mean 'country'?\n"
    message = refused(run, tmp_path, "-e", "gaussian()", people_csv, "-o", out, "--columns", "agee")
    assert message == f"{people_csv}: unknown column 'agee'; did you mean 'age'?\n"
    greek = tmp_path / "greek.csv"
    greek.write_text("σ\n1\n2\n", encoding="utf-8")
    message = refused(run, tmp_path, "-e", "gaussian()[σ]", greek, "-o", out)
    assert message == f"{greek}: unknown column 'sigma'; write \"σ\" in quotes for the column with Greek letters\n"


def test_columns_without_names(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    out = tmp_path / "out.npy"
    message = refused(run, tmp_path, "-e", "gaussian()[age]", numbers_npy, "-o", out)
    assert message.startswith(f"{numbers_npy}: the spec uses columns age by name, but the file has no names; ")
    message = refused(run, tmp_path, "-e", "gaussian()", numbers_npy, "-o", out, "--columns", "a,b")
    assert message == f"{numbers_npy}: has 3 columns, but --columns names 2\n"
    message = refused(run, tmp_path, "-e", "gaussian()", numbers_npy, "-o", out, "--dim", 4)
    assert message == f"{numbers_npy}: has 3 columns, but the kernel applies to 4\n"


def test_text_where_numbers_are_needed(run: Run, tmp_path: Path, people_csv: Path) -> None:
    message = refused(run, tmp_path, "-e", "gaussian()[country]", people_csv, "-o", tmp_path / "out.npy")
    assert message.startswith(f"{people_csv}: row 1, column 'country': '")
    assert "is not a number, which the kernel needs there (match() compares categories)" in message


@pytest.mark.slow
def test_text_after_numbers(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text("a\n" + "1.5\n" * 3_000_000 + "oops\n", encoding="utf-8")
    result = run("features", "-e", "gaussian()", path, "-o", tmp_path / "out.npy", "--n-features", 2)
    assert result.exit_code == 2
    assert f"{path}: row 3000001, column 'a': 'oops' is not a number" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["late.csv"]


@pytest.mark.parametrize("rows", [10, 333, 5000])
def test_rows_are_counted_over_the_whole_file(run: Run, tmp_path: Path, numbers: np.ndarray, rows: int) -> None:
    numbers[456, 2], numbers[500, 0] = np.nan, np.nan
    np.save(tmp_path / "n.npy", numbers)
    pd.DataFrame(numbers, columns=["a", "b", "c"]).to_csv(tmp_path / "n.csv", index=False)
    for name, column in (("n.npy", "column 2"), ("n.csv", "column 'c'")):
        arguments = ("-e", SPEC, tmp_path / name, "-o", tmp_path / "out.npy", "--rows-per-block", rows)
        message = refused(run, tmp_path, *arguments)
        assert message.startswith(f"{tmp_path / name}: ")
        assert f"in row 457, {column}" in message


@pytest.mark.slow
def test_a_missing_category_across_blocks(run: Run, tmp_path: Path, people: pd.DataFrame) -> None:
    people.loc[321, "country"] = None
    people.to_csv(tmp_path / "people.csv", index=False)
    arguments = ("-e", "match()[country]", tmp_path / "people.csv", "-o", tmp_path / "out.npz", "--rows-per-block", 50)
    assert "column 'country' has no category in row 322" in refused(run, tmp_path, *arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "best"), "Invalid value for '--method': must be one of 'auto', 'paired', 'phase', 'complex', "),
        (("--n-features", 1, "--method", "paired"), "--n-features 1 is too small: one sample of this kernel needs 2\n"),
        (("--n-features", 0), "Invalid value for '--n-features': must be at least 1, not 0\n"),
        (("--buckets", 1), "Invalid value for '--buckets': must be at least 2, not 1\n"),
        (("-p", "s=2"), "the spec has no parameter 's'; it has none\n"),
        (("--dtype", "float16"), "'float16' is not one of 'float32', 'float64'"),
        (("--rows-per-block", 0), "0 is not in the range"),
    ],
)
def test_options(run: Run, tmp_path: Path, numbers_npy: Path, options: tuple[object, ...], message: str) -> None:
    assert message in refused(run, tmp_path, "-e", SPEC, numbers_npy, "-o", tmp_path / "out.npy", *options)


def test_sparse_features_need_npz(run: Run, tmp_path: Path, people_csv: Path) -> None:
    for name in ("out.npy", "out.parquet"):
        message = refused(run, tmp_path, "-e", "match()[country]", people_csv, "-o", tmp_path / name)
        assert message.endswith("file cannot hold sparse features; name a .npz file instead\n")


def test_an_indefinite_kernel(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    message = refused(run, tmp_path, "-e", "gaussian() - laplace()", numbers_npy, "-o", tmp_path / "out.npy")
    assert message.startswith("the kernel is indefinite")


def test_outputs_that_cannot_be_written(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    out = tmp_path / "out.npy"
    cases = {
        tmp_path / "none" / "out.npy": "does not exist",
        tmp_path / "folder.npy": "is a folder; name a file in it",
        tmp_path / "out.txt": "has the suffix '.txt'; features are written to .npy, .npz, .parquet",
        Path("/proc/out.npy"): "/proc/out.npy: cannot be written: ",
        numbers_npy: "would overwrite an input of this run",
    }
    for path, message in cases.items():
        assert message in refused(run, tmp_path, "-e", SPEC, numbers_npy, "-o", path)
    message = refused(run, tmp_path, "-e", SPEC, numbers_npy, "-o", out, "--save-map", out)
    assert "would overwrite another output of this run" in message
    planned = tmp_path / "planned.npy"
    planned.write_bytes(numbers_npy.read_bytes())
    message = refused(run, tmp_path, "-e", SPEC, numbers_npy, "-o", planned, "--plan-on", planned)
    assert f"-o {planned} would overwrite an input of this run" in message
    message = refused(run, tmp_path, "-e", SPEC, numbers_npy, "-o", out, "--save-map", tmp_path / "none" / "m.npz")
    assert "does not exist" in message


def test_a_map_that_cannot_be_written_takes_the_features_with_it(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    out = tmp_path / "out.npy"
    out.write_bytes(b"what was there before")
    assert "/proc/map: cannot be written" in refused(
        run, tmp_path, "-e", SPEC, numbers_npy, "-o", out, "--save-map", "/proc/map"
    )


def test_no_rows(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "empty.npy", np.zeros((0, 3)))
    message = refused(run, tmp_path, "-e", SPEC, tmp_path / "empty.npy", "-o", tmp_path / "out.npy")
    assert message == f"{tmp_path / 'empty.npy'}: has no rows\n"


@pytest.mark.parametrize("rows", [100, 5000])
def test_features_that_overflow(run: Run, tmp_path: Path, numbers: np.ndarray, rows: int) -> None:
    numbers[456, 1] = 1e308
    np.save(tmp_path / "n.npy", numbers)
    arguments = ("-e", SPEC, tmp_path / "n.npy", "-o", tmp_path / "out.npy", "--rows-per-block", rows)
    message = refused(run, tmp_path, *arguments)
    found = "features are not finite in row 457, column 1: a number of size 1e+308"
    assert message.startswith(f"{tmp_path / 'n.npy'}: {found}")


@pytest.mark.parametrize("rows", [100, 5000])
def test_a_row_without_direction(run: Run, tmp_path: Path, numbers: np.ndarray, rows: int) -> None:
    numbers[456] = 0
    np.save(tmp_path / "n.npy", numbers)
    arguments = ("-e", "rbf_cosine()", tmp_path / "n.npy", "-o", tmp_path / "out.npy", "--rows-per-block", rows)
    message = refused(run, tmp_path, *arguments)
    assert message.startswith(f"{tmp_path / 'n.npy'}: row 457 is all zeros")


@pytest.mark.slow
def test_a_full_disk_under_the_map_is_blamed_on_the_map(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the full disk: the features fit, the map does not.

    No bytecode is written, which the limit would cut off: Python keeps what it wrote of it, and no later run could
    import the module.
    """
    script = (
        "import resource, signal, sys; from kernelspec.cli import main; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, -1)); main(sys.argv[1:])"
    )
    data, out, saved = tmp_path / "data.npy", tmp_path / "out.npy", tmp_path / "map.npz"
    np.save(data, np.ones((2, 3)))
    arguments = ["-e", "gaussian()", data, "-o", out, "--n-features", 512, "--dtype", "float32", "--save-map", saved]
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, "features", *map(str, arguments)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{saved}: cannot be written: File too large\n"
    assert [path.name for path in tmp_path.iterdir()] == ["data.npy"]


@pytest.mark.parametrize("name", ["t.npy", "t.npz", "t.svm", "t.csv"])
def test_a_disk_that_fails_in_the_middle(
    run: Run, tmp_path: Path, numbers: np.ndarray, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / name
    if name == "t.npy":
        np.save(path, numbers)
    elif name == "t.npz":
        np.savez(path, X=numbers)
    elif name == "t.svm":
        path.write_text("".join(f"0 1:{a} 2:{b} 3:{c}\n" for a, b, c in numbers.tolist()))
    else:
        pd.DataFrame(numbers, columns=["a", "b", "c"]).to_csv(path, index=False)
    calls = []

    def fail(*arguments: object) -> object:
        calls.append(arguments)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    place = {"t.svm": "kernelspec.tables.libsvm.parse_rows", "t.csv": "kernelspec.tables.csv.as_read"}
    monkeypatch.setattr(place.get(name, "kernelspec.tables.npy._native"), fail)
    message = refused(run, tmp_path, "-e", SPEC, path, "-o", tmp_path / "out.npy", "--dim", 3)
    assert message == f"{path}: cannot be read: Input/output error\n"
    assert calls
