"""Types of columns on the command line: recorded, pinned, and held against every other file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import kernelspec as ks
from kernelspec.tables.column_types import ColumnTypes
from tests.cli.conftest import Run

SPEC = "gaussian(scale=2)[age] * match()[plan_code]"
CODES = "match()[c]"


def csv(path: Path, cells: list[object], name: str = "c") -> Path:
    path.write_text(f"{name},n\n" + "".join(f"{cell},1\n" for cell in cells), encoding="utf-8")
    return path


DRAWN = ("--n-features", 4, "--keys", "hashed")
"""The same columns whatever the categories."""


def written(run: Run, tmp_path: Path, *arguments: object) -> np.ndarray:
    out = tmp_path / "features.npz"
    result = run("features", *arguments, "-o", out, *DRAWN) if arguments[0] == "-e" else None
    result = run("features", *arguments, "-o", out) if result is None else result
    assert result.exit_code == 0, result.stderr
    return sparse.load_npz(out).toarray()


def refusal(run: Run, tmp_path: Path, *arguments: object) -> str:
    out = tmp_path / "refused.npz"
    result = run("features", *arguments, "-o", out)
    assert (result.exit_code, result.stdout, out.exists()) == (2, "", False)
    return result.stderr


def make_map(run: Run, tmp_path: Path, *arguments: object) -> Path:
    path = tmp_path / "map.npz"
    result = run("features", *arguments, "-o", tmp_path / "o.npz", *DRAWN, "--save-map", path)
    assert result.exit_code == 0, result.stderr
    return path


def people(n: int = 40) -> pd.DataFrame:
    generator = np.random.default_rng(2)
    return pd.DataFrame({"age": generator.normal(size=n), "plan_code": generator.integers(1, 4, n)})


@pytest.mark.slow
def test_one_odd_code_in_the_test_file_does_not_change_every_other_row(run: Run, tmp_path: Path) -> None:
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    people().to_csv(train, index=False)
    people().astype({"plan_code": object}).assign(
        plan_code=lambda t: [*t.plan_code[:-3], "X", *t.plan_code[-2:]]
    ).to_csv(test, index=False)
    saved = make_map(run, tmp_path, "-e", SPEC, train)
    message = refusal(run, tmp_path, saved, test)
    assert message.startswith(f"{test}: column 'plan_code' holds 'X' in row 38, but the map was made for whole numbers")
    assert "--text-columns" in message
    message = refusal(run, tmp_path, "-e", SPEC, test, "--plan-on", train)
    assert message.startswith(f"{test}: column 'plan_code' holds 'X' in row 38, but the map was made for whole numbers")
    # without a record there is no telling what the other file holds: what may be either is refused
    message = refusal(run, tmp_path, "-e", SPEC, test)
    assert f"{test}: column 'plan_code' holds 'X' in row 38 and " in message
    assert "--text-columns, or record the types of one file" in message
    pinned = [written(run, tmp_path, "-e", SPEC, path, "--text-columns", "plan_code") for path in (train, test)]
    np.testing.assert_array_equal(np.delete(pinned[0], 37, axis=0), np.delete(pinned[1], 37, axis=0))
    assert (pinned[0][37] != pinned[1][37]).any()
    saved = make_map(run, tmp_path, "-e", SPEC, train, "--text-columns", "plan_code")
    np.testing.assert_array_equal(written(run, tmp_path, saved, test), pinned[1])


@pytest.mark.slow
def test_an_odd_code_after_a_million_rows_is_found_where_it_is(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text("c,a\n" + "1,2\n" * 1_000_000 + "X,y\n", encoding="utf-8")
    message = refusal(run, tmp_path, "-e", CODES, path, "--n-features", 2)
    assert f"{path}: column 'c' holds 'X' in row 1000001 and '1' in row 1" in message
    message = refusal(run, tmp_path, "-e", "gaussian()[a]", path, "--n-features", 2)
    assert message.startswith(f"{path}: row 1000001, column 'a': 'y' is not a number")
    path.write_text("c,a\n" + "1,2\n" * 1000 + "1,y\n", encoding="utf-8")  # within the first part that is read
    message = refusal(run, tmp_path, "-e", "gaussian()[a]", path, "--n-features", 2)
    assert message.startswith(f"{path}: row 1001, column 'a': 'y' is not a number")


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells",
    [
        [2**60 + 1, 2**60 + 2, 2**60],
        [2**63 - 1, 2**63, 2**63 + 1, 2**64 + 1],
        [10**40, 10**40 + 1, -(10**40)],
        [2**53, 2**53 + 1, 5],
    ],
)
def test_whole_numbers_are_compared_exactly(run: Run, tmp_path: Path, cells: list[int]) -> None:
    for order in (cells, cells[::-1], [*cells, *range(5)]):
        features = written(run, tmp_path, "-e", CODES, csv(tmp_path / "t.csv", order))
        assert len(np.unique(features, axis=0)) == len(set(order))
    frame = pd.DataFrame({"c": np.array(cells, dtype=object)})
    expected = ks.compile(CODES, n_features=4).transform(frame).toarray()
    assert (written(run, tmp_path, "-e", CODES, csv(tmp_path / "t.csv", cells)) == expected).all()


@pytest.mark.slow
@pytest.mark.parametrize("odd", ["01", "X", "true", "007"])
def test_recorded_types_do_not_depend_on_the_order_of_rows(run: Run, tmp_path: Path, odd: str) -> None:
    rows = np.array(["1", odd, "2", "1"])
    found = []
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 2, 3]):
        path = csv(tmp_path / "t.csv", rows[order].tolist())
        saved = make_map(run, tmp_path, "-e", CODES, path)
        assert ks.load_map(saved).plan.layout.types == ColumnTypes(text=(0,))
        features = written(run, tmp_path, saved, path)
        found.append(features[np.argsort(order)])
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()
    assert (found[0][0] == found[0][3]).all()
    message = refusal(run, tmp_path, "-e", CODES, path)
    assert f"{odd!r} in row 1" in message
    assert "'1' in row 2" in message


def test_a_column_of_leading_zeros_is_text(run: Run, tmp_path: Path) -> None:
    zeros = written(run, tmp_path, "-e", CODES, csv(tmp_path / "a.csv", ["01", "02"]))
    text = ks.compile(CODES, n_features=4).transform(pd.DataFrame({"c": ["01", "02"]})).toarray()
    assert (zeros == text).all()


def test_numbers_that_are_read_as_text_are_told(run: Run, tmp_path: Path) -> None:
    saved = make_map(run, tmp_path, "-e", CODES, csv(tmp_path / "train.csv", ["01", "X", "1"]))
    path = csv(tmp_path / "t.csv", ["1", "2"])
    result = run("features", saved, path, "-o", tmp_path / "o.npz")
    assert result.exit_code == 0
    said = f"{path}: column 'c' begins with numbers; reading it as text, as the map does\n"
    assert result.stderr.startswith(said)
    assert run("features", saved, path, "-o", tmp_path / "o.npz", "-q").stderr == ""


def test_columns_that_are_told_by_their_words(run: Run, tmp_path: Path) -> None:
    truth = csv(tmp_path / "truth.csv", ["true", "False", "TRUE"])
    saved = make_map(run, tmp_path, "-e", CODES, truth)
    assert ks.load_map(saved).plan.layout.types == ColumnTypes(boolean=(0,))
    for odd in ("maybe", "1"):
        message = refusal(run, tmp_path, saved, csv(tmp_path / "odd.csv", ["true", odd]))
        assert f"column 'c' holds '{odd}' in row 2, but the map was made for true and false" in message
    saved = make_map(run, tmp_path, "-e", CODES, csv(tmp_path / "text.csv", ["maybe", "true"]))
    fine = written(run, tmp_path, saved, truth)  # text, as the map was made for text: "true" is not "TRUE"
    assert (fine[0] != fine[2]).any()


def test_a_file_with_types_is_held_against_the_map(run: Run, tmp_path: Path) -> None:
    saved = make_map(run, tmp_path, "-e", CODES, csv(tmp_path / "t.csv", ["01", "02"]))
    frame = pd.DataFrame({"c": [1, 2], "n": 1})
    frame.to_parquet(tmp_path / "t.parquet")
    message = refusal(run, tmp_path, saved, tmp_path / "t.parquet")
    assert message.startswith(f"{tmp_path / 't.parquet'}: column 'c' holds 1 in row 1, but the map was made for text")
    frame.assign(c=["01", "02"]).to_parquet(tmp_path / "t.parquet")
    same = written(run, tmp_path, saved, csv(tmp_path / "t.csv", ["01", "02"]))
    assert (written(run, tmp_path, saved, tmp_path / "t.parquet") == same).all()


def test_whole_numbers_as_floats(run: Run, tmp_path: Path) -> None:
    saved = make_map(run, tmp_path, "-e", "match()", csv(tmp_path / "t.csv", [1, 2, 3]), "--columns", "c,n")
    np.save(tmp_path / "t.npy", np.array([[1.0, 1], [2, 1], [3, 1]]))
    same = written(run, tmp_path, saved, tmp_path / "t.csv")
    assert (written(run, tmp_path, saved, tmp_path / "t.npy") == same).all()
    assert (written(run, tmp_path, saved, csv(tmp_path / "f.csv", ["1.0", "2.", "3e0"])) == same).all()
    for value in (2.5, 2.0**60):  # a fraction, and a number that rounding may have made
        np.save(tmp_path / "t.npy", np.array([[1.0, 1], [value, 1]]))
        assert f"holds {value!r} in row 2, but the map was made for whole" in refusal(
            run, tmp_path, saved, tmp_path / "t.npy"
        )
    message = refusal(run, tmp_path, saved, csv(tmp_path / "f.csv", ["1", "2.5"]))
    assert "column 'c' holds 2.5 in row 2, but the map was made for whole numbers" in message
    message = refusal(run, tmp_path, "-e", CODES, csv(tmp_path / "f.csv", ["0.5", 2**60 + 1]))
    assert f"holds {2**60 + 1} in row 2 and 0.5 in row 1: no numeric type represents both exactly" in message


def test_missing_categories(run: Run, tmp_path: Path) -> None:
    path = csv(tmp_path / "t.csv", ["a", "", "b", ""])
    assert "column 'c' has no category in row 2" in refusal(run, tmp_path, "-e", CODES, path)
    features = written(run, tmp_path, "-e", CODES, path, "--missing", "category")
    assert (features[1] == features[3]).all()
    assert len(np.unique(features, axis=0)) == 3
    saved = make_map(run, tmp_path, "-e", CODES, path, "--missing", "category")
    assert (written(run, tmp_path, saved, path) == features).all()
    pd.DataFrame({"c": ["a", None, "b", None]}).to_parquet(tmp_path / "t.parquet")
    assert (written(run, tmp_path, saved, tmp_path / "t.parquet") == features).all()
    assert "--missing has no effect on" in refusal(run, tmp_path, saved, path, "--missing", "category")
    numbers = csv(tmp_path / "n.csv", [1, "NA", 2, ""])
    features = written(run, tmp_path, "-e", CODES, numbers, "--missing", "category")
    assert (features[1] == features[3]).all()


def test_what_cannot_be_pinned(run: Run, tmp_path: Path) -> None:
    path = csv(tmp_path / "t.csv", [1, 2])
    message = refusal(run, tmp_path, "-e", "gaussian()[n] * match()[c]", path, "--text-columns", "n")
    assert "names column 'n', but the kernel uses it as a number" in message
    message = refusal(run, tmp_path, "-e", CODES, path, "--text-columns", "d")
    assert "--text-columns names column 'd', which the kernel does not use" in message
    saved = make_map(run, tmp_path, "-e", CODES, path)
    message = refusal(run, tmp_path, saved, path, "--text-columns", "c")
    assert "--text-columns: the map records column 'c' as whole number" in message


def test_a_map_without_types_asks_where_there_is_a_choice(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "map.npz"
    ks.compile(CODES, n_features=4).save(saved)
    mixed = csv(tmp_path / "t.csv", ["1", "X"])
    assert "text or not? Use --text-columns" in refusal(run, tmp_path, saved, mixed)
    features = written(run, tmp_path, saved, mixed, "--text-columns", "c")
    assert (features == ks.load_map(saved).transform(pd.DataFrame({"c": ["1", "X"]})).toarray()).all()


@pytest.mark.slow
def test_explain_and_verify_take_the_same_options(run: Run, tmp_path: Path) -> None:
    path = csv(tmp_path / "t.csv", ["1", "X", "", "2"] * 5)
    for command in ("explain", "verify"):
        refused = run(command, "-e", CODES, path)
        assert refused.exit_code == 2
        assert "no category in row 3" in refused.stderr
        assert run(command, "-e", CODES, path, "--missing", "category", "--text-columns", "c").exit_code == 0
