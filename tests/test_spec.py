"""Specs: immutable, equal by content, printable, loadable, picklable."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DimensionError, FileError, ParameterError, SpecError
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.spec import Spec

TEXT = "param s = 2\n\n0.7 * gaussian(scale=s)[age] + 0.3 * laplace()[income]"


def test_equality_and_hash() -> None:
    assert ks.parse("gaussian( 2 )") == ks.parse("gaussian(2)")
    assert hash(ks.parse("gaussian( 2 )")) == hash(ks.parse("gaussian(2)"))
    assert ks.parse("gaussian(2)") != ks.parse("gaussian(scale=2)")
    assert ks.parse(TEXT, {"s": 3}) == ks.parse(TEXT).with_params({"s": 3.0})
    assert ks.parse(TEXT, {"s": 3}) != ks.parse(TEXT)


def test_text_goes_round() -> None:
    spec = ks.parse(TEXT)
    assert ks.parse(str(spec)) == spec


def test_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        ks.parse(TEXT).values = ()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies(copied: object) -> None:
    spec = ks.parse(TEXT, {"s": 1.5})
    assert copied(spec) == spec
    assert copied(spec).params == {"s": 1.5}


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "churn.kernel"
    path.write_text(f"# a comment\n{TEXT}\n", encoding="utf-8")
    assert ks.load(path) == ks.parse(TEXT)
    assert ks.load(str(path), {"s": 4}).params == {"s": 4.0}
    path.write_text("gaussian(sclae=1)", encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        ks.load(path)
    assert str(caught.value).startswith(f"{path}:1:10: error: gaussian() has no argument 'sclae'")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("gaussian() # gro\xdf".encode("latin-1"))
    with pytest.raises(FileError, match="is not UTF-8 text: byte 16 cannot be read"):
        ks.load(tmp_path / "latin")
    with pytest.raises(FileError, match="none cannot be read: No such file or directory"):
        ks.load(tmp_path / "none")


def test_columns_by_name_count_or_inference() -> None:
    spec = ks.parse(TEXT)
    X = np.random.default_rng(0).normal(size=(4, 2))
    facts = ks.analyze(spec)
    assert facts.columns.names == ("age", "income")
    np.testing.assert_allclose(
        facts.characteristic_function(X), np.diag(spec.gram(X, 0 * X, columns=["age", "income"]))
    )
    with pytest.raises(DimensionError, match="the number of columns is needed here"):
        ks.parse("gaussian()").kernel(ks.parse("gaussian()").columns())


def test_numpy_integers_count_columns() -> None:
    assert ks.analyze("gaussian()", dim=np.int64(3)).second_moment == 3


def test_params_are_checked_against_all_lines() -> None:
    with pytest.raises(ParameterError, match="must be > 0"):
        ks.parse("param s > 0\nparam t = 1\ngaussian(t)").with_params({"s": -2})
    assert isinstance(ks.parse(TEXT).with_params({}), Spec)


def test_a_provisional_kernel_needs_neither_columns_nor_values() -> None:
    kernel = ks.parse("param s > 0\ngaussian(scale=s)[age] + laplace()").provisional_kernel()
    assert isinstance(kernel, Sum)
    select, other = kernel.terms
    assert isinstance(select, Select)
    assert isinstance(select.base, Gaussian)
    assert math.isnan(select.base.scale)
    assert isinstance(other, Laplace)
