"""`bench`: lines and JSON."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run, run

__all__ = ["run"]


@pytest.mark.slow
def test_lines_and_json(run: Run) -> None:
    arguments = (
        "bench",
        "-e",
        "gaussian()",
        "--shape",
        "200,3",
        "--n-features",
        8,
        "--rounds",
        1,
        "--dtype",
        "float32",
    )
    result = run(*arguments)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("paired: 200 rows × 3 float32 columns to 8 columns, ")
    found = json.loads(run(*arguments, "--json").stdout)
    assert [each["work"] for each in found["compared"]] == [line.split(":")[0].strip() for line in lines[1:]]
    assert found["shape"] == [200, 3]
    assert found["compared"][0]["share"] is None
    assert all(each["share"]["low"] <= each["share"]["median"] for each in found["compared"][1:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("-e", "gaussian()[age]*match()[city]", "--columns", "age,city"),
        ("-e", "sphere()", "--method", "nystrom"),
        ("-e", "shift(gaussian(), by=1)"),
        ("-e", "match()[0]", "--keys", "exact"),
    ],
)
def test_rows_that_the_kernel_is_defined_on(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("bench", *arguments, "--shape", "100,2", "--n-features", 8, "--rounds", 1)
    assert result.exit_code == 0, result.stderr


def test_categories_have_columns_of_their_own_as_those_of_a_file(run: Run) -> None:
    arguments = ("bench", "-e", "gaussian()[0]*match()[1]", "--shape", "100,2", "--n-features", 8, "--rounds", 1)
    for own, least, most in ((("--json",), 10, 200), (("--json", "--keys", "hashed"), 201, 2**20)):
        found = json.loads(run(*arguments, *own).stdout)
        assert found["sparse"]
        assert least <= found["n_columns"] <= most


@pytest.mark.parametrize("spec", ["laplace()", "gaussian()", "gaussian()[0]*match()[1]"])
def test_features_that_do_not_fit(run: Run, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.cli.bench._memory", lambda: 10**6)
    method = ("--method", "binning") if spec == "laplace()" else ()
    result = run("bench", "-e", spec, "--shape", "1000,2", "--n-features", 64, "--rounds", 1, *method)
    assert result.exit_code == 2
    assert "--shape: the rows, their features and what they are compared with take" in result.stderr


@pytest.mark.parametrize("shape", ["10", "10,", "0,3", "a,b", "10,3,2", "-1,3", "9999999,9999999", "9" * 5000 + ",1"])
def test_wrong_shapes(run: Run, shape: str) -> None:
    result = run("bench", "-e", "gaussian()", "--shape", shape)
    assert result.exit_code == 2
    assert "--shape" in result.stderr
