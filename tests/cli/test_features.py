"""`features`: the same numbers as in Python, whatever the format and the size of the blocks."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import csv
from scipy import sparse

import kernelspec as ks
from kernelspec.planning.request import SeenData
from tests.cli.conftest import Run

SPEC = "0.7*gaussian(scale=2) + 0.3*laplace(scale=3)"
CHURN = "0.7*gaussian(scale=9)[age]*match()[country] + 0.3*laplace(scale=2)[balance]"


def write_libsvm(path: Path, table: np.ndarray) -> None:
    lines = [" ".join(["0", *(f"{j + 1}:{value!r}" for j, value in enumerate(row))]) for row in table.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def frame(table: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(table, columns=["a", "b", "c"])


def write_json_lines(path: Path, table: pd.DataFrame) -> None:
    text = "".join(json.dumps(row) + "\n" for row in table.to_dict("records")).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def write_stream(path: Path, table: pd.DataFrame) -> None:
    whole = pa.Table.from_pandas(table)
    with pa.ipc.new_stream(path, whole.schema) as file:
        file.write_table(whole, max_chunksize=100)


INPUTS: dict[str, Callable[[Path, np.ndarray], Any]] = {
    "in.npy": np.save,
    "fortran.npy": lambda path, table: np.save(path, np.asfortranarray(table)),
    "in.npz": lambda path, table: np.savez(path, X=table),
    "sparse.npz": lambda path, table: sparse.save_npz(path, sparse.csr_array(table)),
    "in.csv": lambda path, table: frame(table).to_csv(path, index=False),
    "in.csv.gz": lambda path, table: frame(table).to_csv(path, index=False),
    "in.tsv": lambda path, table: frame(table).to_csv(path, index=False, sep="\t"),
    "in.parquet": lambda path, table: frame(table).to_parquet(path),
    "in.libsvm": write_libsvm,
    "in.jsonl": lambda path, table: write_json_lines(path, frame(table)),
    "in.jsonl.gz": lambda path, table: write_json_lines(path, frame(table)),
    "in.feather": lambda path, table: frame(table).to_feather(path),
    "in.arrow": lambda path, table: write_stream(path, frame(table)),
}


READ_BY: dict[str, Callable[[Any], pd.DataFrame]] = {
    ".parquet": pd.read_parquet,
    ".csv": lambda source: csv.read_csv(source).to_pandas(),  # to the last bit
    ".jsonl": lambda source: pd.DataFrame(map(json.loads, source.read_text(encoding="utf-8").splitlines())),
    ".arrow": pd.read_feather,
}


def read_features(path: Path) -> np.ndarray:
    if path.suffix in READ_BY:
        return READ_BY[path.suffix](path).to_numpy()
    loaded = np.load(path)
    return loaded if path.suffix == ".npy" else loaded["features"]


def same(first: Any, second: Any) -> bool:
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("output", ["out.npy", "out.npz", "out.parquet", "out.csv", "out.jsonl", "out.arrow"])
@pytest.mark.parametrize("name", INPUTS)
def test_every_input_to_every_output(run: Run, tmp_path: Path, numbers: np.ndarray, name: str, output: str) -> None:
    INPUTS[name](tmp_path / name, numbers)
    result = run("features", "-e", SPEC, tmp_path / name, "-o", tmp_path / output, "--n-features", 48, "--seed", 3)
    assert (result.exit_code, result.stdout) == (0, "")
    expected = ks.compile(SPEC, dim=3, n_features=48, seed=3).transform(numbers)
    found = read_features(tmp_path / output)
    # sparse rows are multiplied in another order of the sum
    assert np.allclose(found, expected, atol=1e-14) if name in ("sparse.npz", "in.libsvm") else same(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 7, 255, 256, 257, 700, 5000])
def test_every_block_size_gives_the_same_bits(run: Run, tmp_path: Path, numbers: np.ndarray, rows: int) -> None:
    kinds = {"a.npy": np.float64, "b.npy": np.float32}
    for name, kind in kinds.items():
        np.save(tmp_path / name, numbers.astype(kind))
        arguments = ("-e", SPEC, tmp_path / name, "-o", tmp_path / f"out_{name}", "--rows-per-block", rows)
        assert run("features", *arguments, "--n-features", 64).exit_code == 0
        expected = ks.compile(SPEC, dim=3, n_features=64).transform(numbers.astype(kind))
        assert same(np.load(tmp_path / f"out_{name}"), expected)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [3, 256, 700])
def test_sparse_blocks_and_categories(
    run: Run, tmp_path: Path, people: pd.DataFrame, people_csv: Path, rows: int
) -> None:
    out = tmp_path / "out.npz"
    arguments = ("--n-features", 30, "--rows-per-block", rows)
    for keys, buckets in (("hashed", 16), ("auto", 16), ("exact", 256)):
        hashed = ("--buckets", buckets) if buckets != 256 else ()
        assert run("features", "-e", CHURN, people_csv, "-o", out, *arguments, "--keys", keys, *hashed).exit_code == 0
        seen = SeenData(None, [ks.compile(CHURN).plan.layout.read(people)])
        fmap = ks.compile(CHURN, n_features=30, buckets=buckets, keys=keys, data=seen)  # type: ignore[arg-type]
        expected, found = fmap.transform(people), sparse.load_npz(out)
        assert found.shape == expected.shape
        for part in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(found, part), getattr(expected, part))
        assert np.load(out)["names"].tolist() == fmap.names()


@pytest.mark.slow
def test_categories_that_a_map_does_not_know_are_counted(
    run: Run, tmp_path: Path, people: pd.DataFrame, people_csv: Path
) -> None:
    saved, other = tmp_path / "map.npz", tmp_path / "other.csv"
    first = run("features", "-e", CHURN, people_csv, "-o", tmp_path / "a.npz", "--save-map", saved, "--n-features", 20)
    assert "does not know" not in first.stderr
    people.assign(country=["atlantis"] * 5 + people["country"].tolist()[5:]).to_csv(other, index=False)
    again = run("features", saved, other, "-o", tmp_path / "b.npz")
    (samples,) = [n for stratum, n in ks.load_map(saved).plan.parts if stratum.known is not None]
    assert f"{5 * 2 * samples:,} entries have categories or keys unknown to the map" in again.stderr
    assert "does not know" not in run("features", saved, other, "-o", tmp_path / "b.npz", "-q").stderr


@pytest.mark.slow
def test_categories_are_those_of_the_file_to_plan_on(run: Run, tmp_path: Path, people: pd.DataFrame) -> None:
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    people.to_csv(train, index=False)
    people[people["country"] == people["country"].iloc[0]].to_csv(test, index=False)
    widths = []
    for data in (train, test):
        out = tmp_path / "out.npz"
        assert run("features", "-e", CHURN, data, "-o", out, "--n-features", 20, "--plan-on", train).exit_code == 0
        widths.append(sparse.load_npz(out).shape[1])
    assert widths[0] == widths[1]


def test_sparse_data_give_the_same_bits_for_every_block_size(run: Run, tmp_path: Path, numbers: np.ndarray) -> None:
    data = sparse.csr_array(np.where(np.abs(numbers) > 1, numbers, 0))
    sparse.save_npz(tmp_path / "data.npz", data)
    expected = ks.compile(SPEC, dim=3, n_features=64).transform(data)
    for rows in (9, 300):
        arguments = ("-o", tmp_path / "out.npy", "--n-features", 64, "--rows-per-block", rows)
        assert run("features", "-e", SPEC, tmp_path / "data.npz", *arguments).exit_code == 0
        assert same(np.load(tmp_path / "out.npy"), expected)


@pytest.mark.slow
@pytest.mark.parametrize("stored", ["float32", "float64"])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_types(run: Run, tmp_path: Path, numbers: np.ndarray, kind: type, stored: str) -> None:
    data = (3 * numbers).astype(kind)
    np.save(tmp_path / "data.npy", data)
    out = tmp_path / "out.npy"
    assert run("features", "-e", SPEC, tmp_path / "data.npy", "-o", out, "--dtype", stored).exit_code == 0
    computed = data.astype(np.float64) if stored == "float64" else data
    assert same(np.load(out), ks.compile(SPEC, dim=3).transform(computed).astype(stored))


def test_complex_features(run: Run, tmp_path: Path, numbers: np.ndarray, numbers_npy: Path) -> None:
    out = tmp_path / "out.npy"
    run("features", "-e", SPEC, numbers_npy, "-o", out, "--method", "complex", "--dtype", "float32")
    expected = ks.compile(SPEC, dim=3, method="complex").transform(numbers)
    assert same(np.load(out), expected.astype(np.complex64))


def test_summary_and_quiet(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    out = tmp_path / "out.npy"
    result = run("features", "-e", SPEC, numbers_npy, "-o", out)
    assert result.stderr.startswith("columns read: 3 of 3\n700 rows × 1,024 columns in ")
    assert result.stderr.endswith(f" rows/s): {out}\n")
    assert result.stderr.count("\n") == 2
    assert run("features", "-e", SPEC, numbers_npy, "-o", out, "-q").output == ""


def test_only_named_columns_are_looked_at(run: Run, tmp_path: Path, people: pd.DataFrame) -> None:
    spec = "gaussian(scale=9)[age]"
    people["broken"] = [None] * len(people)
    people.to_csv(tmp_path / "people.csv", index=False)
    assert run("features", "-e", spec, tmp_path / "people.csv", "-o", tmp_path / "out.npy").exit_code == 0
    assert same(np.load(tmp_path / "out.npy"), ks.compile(spec).transform(people[["age"]]))


def test_columns_selects_and_orders(run: Run, tmp_path: Path, people: pd.DataFrame, people_csv: Path) -> None:
    names = ["balance", "age"]
    result = run("features", "-e", SPEC, people_csv, "-o", tmp_path / "out.npy", "--columns", "balance,age")
    assert result.exit_code == 0
    assert same(np.load(tmp_path / "out.npy"), ks.compile(SPEC, columns=names).transform(people[names]))


def test_columns_names_those_of_an_array(run: Run, tmp_path: Path, numbers: np.ndarray, numbers_npy: Path) -> None:
    spec = "gaussian()[c]"
    result = run("features", "-e", spec, numbers_npy, "-o", tmp_path / "out.npy", "--columns", "a,b,c")
    assert result.exit_code == 0
    assert same(np.load(tmp_path / "out.npy"), ks.compile(spec, columns=["a", "b", "c"]).transform(numbers))


def test_dim_is_the_width_of_libsvm_data(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "data.libsvm"
    path.write_text("1 1:0.5\n-1 2:1.5\n", encoding="utf-8")
    assert run("features", "-e", SPEC, path, "-o", tmp_path / "out.npy", "--dim", 5).exit_code == 0
    expected = ks.compile(SPEC, dim=5).transform(sparse.csr_array([[0.5, 0, 0, 0, 0], [0, 1.5, 0, 0, 0]]))
    assert same(np.load(tmp_path / "out.npy"), expected)


def test_parameters(run: Run, tmp_path: Path, numbers: np.ndarray, numbers_npy: Path) -> None:
    spec = "param s > 0\ngaussian(scale=s)"
    assert run("features", "-e", spec, numbers_npy, "-o", tmp_path / "out.npy", "-p", "s=2.5").exit_code == 0
    assert same(np.load(tmp_path / "out.npy"), ks.compile("gaussian(scale=2.5)", dim=3).transform(numbers))


def test_columns_are_dropped_and_those_read_are_named(run: Run, tmp_path: Path, numbers: np.ndarray) -> None:
    data, out, saved = tmp_path / "in.csv", tmp_path / "out.npy", tmp_path / "map.npz"
    frame(numbers).to_csv(data, index=False)
    result = run("features", "-e", SPEC, data, "-o", out, "--n-features", 16)
    assert result.stderr.splitlines()[0] == "columns read: a, b, c (3 of 3)"
    result = run("features", "-e", SPEC, data, "-o", out, "--n-features", 16, "--drop", "b", "--save-map", saved)
    assert result.stderr.splitlines()[0] == "columns read: a, c (2 of 3)"
    expected = ks.compile(SPEC, n_features=16, columns=["a", "c"]).transform(frame(numbers)[["a", "c"]])
    assert same(np.load(out), expected)
    run("features", saved, data, "-o", out)
    assert same(np.load(out), expected)
    assert run("features", "-e", SPEC, data, "-o", out, "--drop", "b", "--quiet").stderr == ""


def test_dropped_columns_that_cannot_be(run: Run, tmp_path: Path, numbers: np.ndarray) -> None:
    data, out = tmp_path / "in.csv", tmp_path / "out.npy"
    frame(numbers).to_csv(data, index=False)
    for options, said in (
        (["--drop", "d"], "in.csv: --drop names unknown column 'd'"),
        (["--drop", "a,b,c"], "in.csv: --drop leaves no columns"),
        (["--drop", "b", "--columns", "a"], "use either --columns or --drop, not both"),
        (["--drop", "b,b"], "--drop names 'b' twice"),
    ):
        result = run("features", "-e", SPEC, data, "-o", out, *options)
        assert result.exit_code == 2
        assert said in result.stderr
        assert not out.exists()
    np.save(tmp_path / "in.npy", numbers)
    for spec, path, said in (
        ("gaussian()[b]", data, "in.csv: --drop names column 'b', which the spec uses"),
        (SPEC, tmp_path / "in.npy", "in.npy: --drop needs column names, but the file has none"),
    ):
        assert said in run("features", "-e", spec, path, "-o", out, "--drop", "b").stderr
    for command in ("explain", "verify"):
        result = run(command, "-e", SPEC, "--dim", 2, "--drop", "b")
        assert (result.exit_code, "--drop requires DATA" in result.stderr) == (2, True)
        assert run(command, "-e", SPEC, data, "--drop", "d").exit_code == 2


@pytest.mark.slow
def test_the_fewest_features_for_an_error(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    """The map is planned on DATA itself; the one of compile for the same rows."""
    out, asked = tmp_path / "out.npy", ("--error", 0.1, "--landmarks", "never", "--draws", "independent")
    result = run("features", "-e", SPEC, numbers_npy, "-o", out, *asked)
    assert result.exit_code == 0
    assert "asked for: relative error of the kernel matrix of at most 0.1" in result.stderr
    expected = ks.compile(
        SPEC, data=np.load(numbers_npy), n_features="auto", error=0.1, landmarks="never", draws="independent"
    )
    assert same(np.load(out), expected.transform(np.load(numbers_npy)))
    explained = run("explain", "-e", SPEC, numbers_npy, *asked)
    assert f"at most {expected.plan.n_features} nonzeros" in explained.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--error", 0.1, "--n-features", 64), "--error needs --n-features auto"),
        (("--error", 0.1, "--pointwise", 0.1), "either --error or --pointwise, not both"),
        (("--error", -1), "Invalid value for '--error': must be positive and finite, not -1"),
    ],
)
def test_errors_that_cannot_be_asked_for(
    run: Run, tmp_path: Path, numbers_npy: Path, options: tuple[object, ...], said: str
) -> None:
    result = run("features", "-e", SPEC, numbers_npy, "-o", tmp_path / "out.npy", *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_rows_of_the_data_in_a_saved_map_are_said(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    arguments = ("features", "-e", "gaussian()", numbers_npy, "-o", tmp_path / "out.npy", "--plan-on", numbers_npy)
    save = ("--save-map", tmp_path / "map.npz", "--method", "nystrom", "--n-features", 16)
    assert "contains 16 rows of the data, its landmarks" in run(*arguments, *save).stderr
    assert run(*arguments, *save, "-q").stderr == ""


@pytest.mark.long
def test_structured_frequencies(run: Run, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).standard_normal((3, 64))
    np.save(tmp_path / "wide.npy", rows)
    asked = ("--n-features", 64, "--draws", "hadamard")
    result = run("features", "-e", "gaussian(scale=8)", tmp_path / "wide.npy", "-o", tmp_path / "out.npy", *asked)
    assert result.exit_code == 0
    expected = ks.compile("gaussian(scale=8)", 64, 64, draws="hadamard")
    assert same(np.load(tmp_path / "out.npy"), expected.transform(rows))
    assert "uniform; bias at most" in run("explain", "-e", "gaussian(scale=8)", "--dim", 64, *asked).stdout


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arrow", "parquet"])
def test_columns_to_keep_stand_before_the_features(
    run: Run, tmp_path: Path, people: pd.DataFrame, people_csv: Path, suffix: str
) -> None:
    output = tmp_path / f"out.{suffix}"
    command = ["features", "-e", "gaussian(scale=9)[age]", "--n-features", 4, "-q"]
    result = run(*command, people_csv, "-o", output, "--keep", "id,country", "--rows-per-block", 300)
    assert (result.exit_code, result.output) == (0, "")
    found = READ_BY[f".{suffix}"](output)
    assert list(found) == ["id", "country", "cos0", "cos1", "sin0", "sin1"]
    pd.testing.assert_frame_equal(found[["id", "country"]], people[["id", "country"]])
    assert len(found) == 700
    run(*command, people_csv, "-o", tmp_path / "alone.npy")
    np.testing.assert_array_equal(found.to_numpy()[:, 2:].astype(float), np.load(tmp_path / "alone.npy"))
    twice = run(*command, output, "-o", tmp_path / "again.csv", "--keep", "cos0")
    assert twice.exit_code == 2


def test_columns_to_keep_follow_the_rows_of_parts_of_a_block(run: Run, tmp_path: Path) -> None:
    """Many features are computed for a thousand rows at a time, of a block of more."""
    table = pd.DataFrame({"id": range(3000), "a": np.linspace(0, 9, 3000)})
    table.to_parquet(tmp_path / "t.parquet")
    command = ("features", "-e", "gaussian()[a]", tmp_path / "t.parquet", "--n-features", 512, "--keep", "id,a", "-q")
    assert run(*command, "-o", tmp_path / "out.parquet").exit_code == 0
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out.parquet")[["id", "a"]], table)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arrow", "parquet"])
def test_standard_input_and_output_in_every_format(
    execute_bytes: Callable[..., bytes], tmp_path: Path, people: pd.DataFrame, suffix: str
) -> None:
    """What one command writes another reads; the format on standard input is told by its first bytes."""
    people.to_csv(tmp_path / "t.csv", index=False)
    text = (tmp_path / "t.csv").read_bytes()
    command = ["features", "-e", "gaussian(scale=9)[age]", "-", "-o", "-", "--n-features", "4", "-q"]
    first = execute_bytes(*command, "--format", suffix, "--keep", "age", text=text)
    second = execute_bytes(*command, text=first)
    assert second == execute_bytes(*command, text=text)


@pytest.mark.slow
@pytest.mark.parametrize("output", ["k.npy", "k.csv", "k.parquet", "k.jsonl"])
def test_the_kernel_matrix_of_two_tables(
    run: Run, tmp_path: Path, people: pd.DataFrame, people_csv: Path, output: str
) -> None:
    people[:30].to_csv(tmp_path / "a.csv", index=False)
    result = run(
        "gram", "-e", "gaussian(scale=9)[age]*match()[country]", tmp_path / "a.csv", people_csv, "-o", tmp_path / output
    )
    assert (result.exit_code, result.output) == (0, "")
    distances = people.age.to_numpy()[:30, None] - people.age.to_numpy()
    equal = people.country.to_numpy()[:30, None] == people.country.to_numpy()
    np.testing.assert_allclose(read_features(tmp_path / output), np.exp(-(distances**2) / 162) * equal, atol=1e-15)


def test_the_kernel_matrix_of_one_table(run: Run, tmp_path: Path, people: pd.DataFrame) -> None:
    """Noise stands on the diagonal by position, and learned numbers are those of the first table."""
    people[:20].to_csv(tmp_path / "a.csv", index=False)
    people[20:25].to_csv(tmp_path / "b.csv", index=False)
    result = run("gram", "-e", "gaussian()[standardize(age)] + 0.5*noise()", tmp_path / "a.csv", "-o", "-")
    found = csv.read_csv(io.BytesIO(result.stdout.encode())).to_pandas()
    assert list(found) == [f"row{i}" for i in range(1, 21)]
    np.testing.assert_allclose(np.diag(found), 1.5)
    result = run("gram", "-e", "gaussian()[standardize(age)]", tmp_path / "a.csv", tmp_path / "b.csv", "-o", "-")
    found = csv.read_csv(io.BytesIO(result.stdout.encode())).to_pandas()
    ages = (people.age - people.age[:20].mean()) / people.age[:20].std(ddof=0)
    expected = np.exp(-((ages.to_numpy()[:20, None] - ages.to_numpy()[20:25]) ** 2) / 2)
    np.testing.assert_allclose(found, expected, atol=1e-4)  # learned numbers are written with five digits


def test_the_kernel_matrix_of_chosen_columns(run: Run, tmp_path: Path) -> None:
    """--columns and --drop choose them, and --dim is the width of LIBSVM files whose largest indices differ."""
    (tmp_path / "t.csv").write_text("a,b\n1,5\n2,9\n", encoding="utf-8")
    (tmp_path / "s.libsvm").write_text("0 1:1\n0 2:3\n", encoding="utf-8")
    (tmp_path / "u.libsvm").write_text("0 3:1\n", encoding="utf-8")
    for options in (["--columns", "a"], ["--drop", "b"]):
        run("gram", "-e", "gaussian()", *options, tmp_path / "t.csv", "-o", tmp_path / "k.npy")
        np.testing.assert_allclose(np.load(tmp_path / "k.npy"), [[1, np.exp(-0.5)], [np.exp(-0.5), 1]])
    files = (tmp_path / "s.libsvm", tmp_path / "u.libsvm")
    run("gram", "-e", "gaussian()", "--dim", 3, *files, "-o", tmp_path / "k.npy")
    np.testing.assert_allclose(np.load(tmp_path / "k.npy"), np.exp([[-1.0], [-5.0]]))


def test_types_of_the_second_table_are_those_of_the_first(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("c\n1\n2\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("c\n1\nx\n", encoding="utf-8")
    refused = run("gram", "-e", "match()[c]", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "k.npy")
    assert (refused.exit_code, "made for whole numbers" in refused.output) == (2, True)


def test_infinity_is_not_json(run: Run, tmp_path: Path) -> None:
    table = pa.table({"x": [np.inf, 1.0], "a": [1.0, 2.0]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    command = ["features", "-e", "gaussian()[a]", tmp_path / "t.parquet", "--keep", "x", "--n-features", 2, "-q"]
    refused = run(*command, "-o", tmp_path / "z.jsonl")
    assert (refused.exit_code, "JSON has no infinity" in refused.output) == (2, True)
    assert not (tmp_path / "z.jsonl").exists()
    assert run(*command, "-o", tmp_path / "z.csv").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gram", "-e", "gaussian()", "-o", "k.npy"], "name one table A, or two, A and B"),
        (
            ["gram", "-e", "gaussian()[age]", "p.csv", "-o", "k.txt"],
            "features are written to .npy, .npz, .parquet, .csv",
        ),
        (["gram", "-e", "gaussian()[age]", "p.csv", "-o", "k.csv", "--format", "arrow"], "--format requires -o -"),
        (["features", "-e", "gaussian()[age]", "p.csv", "-o", "k.csv", "--format", "csv"], "--format requires -o -"),
        (["features", "-e", "gaussian()[age]", "p.csv", "-o", "k.npy", "--format", "csv"], "--format requires -o -"),
        (["gram", "-e", "gaussian()[agee]", "p.csv", "-o", "k.csv"], "unknown column 'agee'"),
        (
            ["gram", "-e", "gaussian()[id]", "p.csv", "-o", "k.csv"],
            "p.csv: row 1, column 'id': 'p0' is not a number",
        ),
        (["features", "-e", "match()[id]", "p.csv", "-o", "-"], "a table cannot hold sparse features"),
        (["features", "-e", "gaussian()[age]", "p.csv", "-o", "o.npy", "--keep", "id"], "o.npy: tables are written to"),
        (["features", "-e", "gaussian()[age]", "p.csv", "-o", "-", "--keep", "nope"], "unknown column 'nope'"),
        (
            ["features", "-e", "gaussian()", "words.jsonl", "-o", "-"],
            "damaged, or not JSON lines: JSON parse error: Invalid value. (in lines 1 to 1)",
        ),
        (["features", "-e", "gaussian()", "cut.arrow", "-o", "-"], "cut.arrow: damaged, or not an Arrow file"),
    ],
)
def test_what_is_wrong_with_tables_written(
    run: Run, tmp_path: Path, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    people[:9].to_csv("p.csv", index=False)
    Path("words.jsonl").write_text("these are words\n", encoding="utf-8")
    people.to_feather("whole.feather")
    Path("cut.arrow").write_bytes(Path("whole.feather").read_bytes()[:500])
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
