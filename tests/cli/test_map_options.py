"""The options that determine a map, and the map they determine."""

from __future__ import annotations

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import kernelspec as ks
from kernelspec.cli.map_options import MapSettings, map_options
from kernelspec.errors import PlanError
from kernelspec.planning.request import SeenData
from kernelspec.tables.rows import Rows

X = np.random.default_rng(4).standard_normal((5, 2))


@click.command()
@map_options(n_features=77)
@click.option("--rows", type=int, default=3)
def shown(settings: MapSettings, rows: int) -> None:
    click.echo(f"{settings!r} {rows}")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(shown, list(arguments), catch_exceptions=False)


def test_defaults_and_values() -> None:
    assert (
        run().stdout == f"{MapSettings(n_features=77, seed=0, method='auto', buckets=256, bits=8, keys='auto')!r} 3\n"
    )
    given = run("--n-features", "5", "--seed", "9", "--method", "phase", "--buckets", "8", "--bits", "3", "--rows", "1")
    assert given.stdout == f"{MapSettings(n_features=5, seed=9, method='phase', buckets=8, bits=3, keys='bits')!r} 1\n"


@pytest.mark.parametrize("arguments", [("--seed", "-1"), ("--seed", "x"), ("--n-features", "many"), ("--buckets", "")])
def test_what_is_no_number(arguments: tuple[str, str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{arguments[0]}'" in result.stderr


def test_bits_and_buckets_of_a_kernel_of_keys() -> None:
    spec = ks.parse("laplace()")
    made = MapSettings(24, 3, "binning", 16, 2, "bits").make(spec, spec.columns(2))
    assert (made.plan.buckets, made.plan.bits, made.n_columns) == (None, 2, 24 * 4 + 1)
    assert MapSettings(24, 3, "binning", 16).make(spec, spec.columns(2)).n_columns == 24 * 16


@pytest.mark.parametrize("method", ["auto", "paired", "phase", "complex"])
def test_the_map_is_the_one_of_compile(method: str) -> None:
    spec = ks.parse("gaussian(scale=2)[b] + 0.5 * laplace()[a]")
    made = MapSettings(24, 3, method, 16).make(spec, spec.columns(None, ("a", "b")))
    expected = ks.compile(spec, columns=("a", "b"), n_features=24, seed=3, method=method)  # type: ignore[arg-type]
    np.testing.assert_array_equal(made.transform(X), expected.transform(X))
    other = MapSettings(24, 4, method, 16).make(spec, spec.columns(None, ("a", "b")))
    assert not np.array_equal(made.transform(X), other.transform(X))


def test_buckets_are_columns_a_sample() -> None:
    spec = ks.parse("match()")
    assert MapSettings(4, 0, "auto", 32).make(spec, spec.columns(2)).n_columns == 4 * 32


def test_the_plan_is_chosen_for_the_rows() -> None:
    spec = ks.parse("gaussian() + laplace(scale=50)")
    settings, columns = MapSettings(64, 0, "auto", 256), spec.columns(2)
    near = Rows(1e-3 * X)
    planned = settings.make(spec, columns, SeenData(near, (near,)))
    expected = ks.compile(spec, dim=2, n_features=64, data=1e-3 * X)
    np.testing.assert_array_equal(planned.transform(X), expected.transform(X))
    assert planned.predicted_error(near) < settings.make(spec, columns).predicted_error(near)


def test_keys_and_what_bits_imply() -> None:
    for given, keys, bits in (
        ((), "auto", 8), (("--keys", "hashed"), "hashed", 8), (("--bits", "3"), "bits", 3),
        (("--keys", "bits"), "bits", 8), (("--keys", "exact", "--bits", "3"), "exact", 3),
    ):  # fmt: skip
        assert run(*given).stdout == f"{MapSettings(77, 0, 'auto', 256, bits, keys)!r} 3\n"  # type: ignore[arg-type]
    assert run("--keys", "buckets").exit_code == 2


def test_settings_that_make_no_map() -> None:
    spec = ks.parse("gaussian()")
    for settings in (MapSettings(0, 0, "auto", 256), MapSettings(8, 0, "fourier", 256)):
        with pytest.raises(PlanError):
            settings.make(spec, spec.columns(2))
