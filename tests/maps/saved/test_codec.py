"""Frozen parts of a map as data and back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.expressions.formula import Constant, Formula, Operation, Variable
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sums_and_products import Product, Sum
from kernelspec.laws.jordan import JordanPart
from kernelspec.maps import codec
from kernelspec.maps.codec import check_values, decoded, encoded, saved_fields
from kernelspec.maps.saved_kinds import PARTS, class_of
from kernelspec.planning.plan import Candidate
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import Phasors
from kernelspec.special.wave_parts import WavePart
from tests.maps.parts import there_and_back

KEY = BinningKey(np.array([[1.0, 2.0]]), np.array([[0.0, 0.5]]), (2, 0))


def test_numbers_words_and_parts() -> None:
    kernel = Gaussian(scale=0.1 + 0.2, dim=2)
    product = Product(factors=(kernel, kernel), dim=2)
    again = there_and_back(product)
    assert again == product
    assert again.factors[0] is again.factors[1]  # what is shared stays shared
    assert again.factors[0].scale == 0.1 + 0.2
    formula = Formula(Operation("sum", (Variable(), Constant(Fraction(10**50, 3)))), "x")
    assert there_and_back(formula) == formula
    assert there_and_back(formula).variable == "x"
    candidate = Candidate("paired", False, (1, 2), math.inf, (None, "binning"), error=1e-300)
    assert there_and_back(candidate) == candidate


def test_enumerations() -> None:
    fmap = ks.compile("shift_gaussian(by=[1, 0])", dim=2, method="jordan", n_features=12)
    entries, _ = encoded(fmap.plan)
    assert {"enum": "wave_part", "member": "POSITIVE_SINE"} in [entry.get("wave") for entry in entries]
    again = there_and_back(fmap.plan)
    assert again == fmap.plan
    assert again.strata[-1].law.wave is WavePart.POSITIVE_SINE  # type: ignore[attr-defined]


def test_arrays_are_named_by_their_part() -> None:
    entries, arrays = encoded(KEY)
    own = {"pitches": {"array": "0.pitches"}, "offsets": {"array": "0.offsets"}}
    assert entries == [{"kind": "key.binning", "positions": [2, 0]} | own]
    assert {name: array.dtype.str for name, array in arrays.items()} == {"0.pitches": "<f8", "0.offsets": "<f8"}


def test_arrays_in_any_order_of_memory_and_bytes() -> None:
    pitches = np.asfortranarray(np.arange(1.0, 7.0).reshape(2, 3))
    entries, arrays = encoded(BinningKey(pitches, np.zeros((2, 3)), (0, 1, 2)))
    assert arrays["0.pitches"].flags.c_contiguous
    foreign = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in arrays.items()}
    again = decoded(entries, foreign)
    assert np.array_equal(again.pitches, pitches)
    assert again.pitches.dtype == np.dtype(np.float64)


def test_sparse_matrices() -> None:
    phasors = Phasors.symmetric((0, 3), csr_array(np.array([[0.0, 1.0], [0.0, 0.0], [2.0, -1.0]])))
    again = there_and_back(phasors)
    assert isinstance(again.frequencies, csr_array)
    assert np.array_equal(again.frequencies.toarray(), phasors.frequencies.toarray())  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("array", "values"),
    [
        ("indices", [1, 2, 0]),
        ("indices", [1, -1, 0]),
        ("indptr", [0, 1, 1, 4]),
        ("indptr", [1, 1, 1, 3]),
        ("indptr", [0, 2, 1, 3]),
        ("indptr", []),
        ("data", [1.0, 2.0]),
        ("data", [1.0, 2.0, math.nan]),
    ],
)
def test_damaged_sparse_matrices_are_refused(array: str, values: list[float]) -> None:
    entries, arrays = encoded(Phasors.symmetric((0, 3), csr_array(np.array([[0.0, 1.0], [0.0, 0.0], [2.0, -1.0]]))))
    name = f"0.frequencies.{array}"
    with pytest.raises(ValueError):
        decoded(entries, arrays | {name: np.array(values, dtype=arrays[name].dtype)})


def test_what_is_no_part_of_a_map_is_not_written() -> None:
    with pytest.raises(TypeError, match=r"add it to kernelspec/maps/saved_kinds\.py"):
        encoded(ks.parse("gaussian()"))
    with pytest.raises(TypeError, match="a saved map cannot contain"):
        encoded(Sum(terms=(), weights=(math.nan,), dim=1))


def test_where_a_node_stands_in_a_text_is_not_written() -> None:
    assert [own.name for own in saved_fields(Gaussian)] == ["dim", "scale"]


def test_no_field_may_be_missing() -> None:
    """A field that comes later is a new version of the format: files of an earlier one would say less."""
    entries, arrays = encoded(Candidate("paired", False, (1, 2), 0.5))
    for name in entries[0]:
        shorter = [{own: value for own, value in entries[0].items() if own != name}]
        with pytest.raises(ValueError):
            decoded(shorter, arrays)
    assert decoded(entries, arrays) == Candidate("paired", False, (1, 2), 0.5)


def _joint(ratio: Any) -> list[dict[str, Any]]:
    """The entries of coupled samples, of the part before."""
    fourier = {"kind": "law.fourier", "kernel": {"part": 0}}
    return [fourier, {"kind": "law.joint", "base": {"part": 1}, "draws": "orthogonal", "ratio": ratio}]


GAUSSIAN = {"kind": "kernel.gaussian", "dim": 2, "scale": 1.5}


@pytest.mark.parametrize(
    "entries",
    [
        None,
        [],
        [[]],
        [{"kind": "kernel.magic"}],
        [{"kind": ["kernel.gaussian"]}],
        [{"kind": "os:system"}],
        [{"kind": "kernel.gaussian", "scale": 1.5}],
        [GAUSSIAN | {"span": None}],
        [GAUSSIAN | {"scale": 0.0}],
        [GAUSSIAN | {"scale": -1}],
        [GAUSSIAN | {"scale": 1e400}],
        [GAUSSIAN | {"scale": 1e300}],
        [GAUSSIAN | {"scale": 1e-300}],
        [GAUSSIAN, {"kind": "kernel.stretch", "dim": 2, "base": {"part": 0}, "matrix": 1e300}],
        [GAUSSIAN, {"kind": "kernel.tilt", "dim": 2, "base": {"part": 0}, "by": [1e300, 0.0]}],
        [GAUSSIAN, {"kind": "kernel.sum", "dim": 2, "terms": [{"part": 0}], "weights": [{"fraction": [10**200, 1]}]}],
        [GAUSSIAN, *_joint({"infinity": 1})],
        [GAUSSIAN, *_joint(1e300)],
        [
            GAUSSIAN,
            {"kind": "law.neurons", "kernel": {"part": 0}, "below": {"part": 0}, "positions": [], "is_curved": False},
        ],
        [GAUSSIAN | {"scale": "1.5"}],
        [GAUSSIAN | {"scale": None}],
        [GAUSSIAN | {"scale": True}],
        [GAUSSIAN | {"scale": {"infinity": 1}}],
        [GAUSSIAN | {"scale": {"infinity": 2}}],
        [GAUSSIAN | {"scale": {"fraction": [1, 0]}}],
        [GAUSSIAN | {"scale": {"array": "0.scale"}}],
        [GAUSSIAN | {"scale": {"what": 1}}],
        [GAUSSIAN | {"dim": 0}],
        [GAUSSIAN | {"dim": 2.0}],
        [GAUSSIAN | {"dim": 10**30}],
        [GAUSSIAN | {"dim": 2_000_001}],
        [GAUSSIAN, {"kind": "kernel.select", "dim": 10**40, "base": {"part": 0}, "positions": [0, 1]}],
        [GAUSSIAN, {"kind": "kernel.stretch", "dim": 2**31, "base": {"part": 0}, "matrix": 2.0}],
        [GAUSSIAN, {"kind": "kernel.image", "height": 2**31, "width": 1, "channels": 1, "base": {"part": 0}}],
        [GAUSSIAN, GAUSSIAN],
        [{"kind": "kernel.product", "dim": 2, "factors": [{"part": 0}]}],
        [GAUSSIAN, {"kind": "kernel.product", "dim": 2, "factors": [{"part": 1}]}],
        [GAUSSIAN, {"kind": "kernel.product", "dim": 3, "factors": [{"part": 0}]}],
        [GAUSSIAN, {"kind": "kernel.product", "dim": 2, "factors": []}],
        [GAUSSIAN, {"kind": "kernel.sum", "dim": 2, "terms": [{"part": 0}], "weights": [1, 2]}],
        [GAUSSIAN, {"kind": "kernel.select", "dim": 3, "base": {"part": 0}, "positions": [0, 3]}],
        [GAUSSIAN, {"kind": "kernel.stretch", "dim": 2, "base": {"part": 0}, "matrix": [1.0, 2.0, 3.0]}],
        [GAUSSIAN, {"kind": "kernel.power", "dim": 2, "base": {"part": 0}, "exponent": 10**6}],
        [{"kind": "formula.operation", "name": "sqrt", "operands": []}],
    ],
)
def test_damage_is_refused(entries: Any) -> None:
    with pytest.raises(ValueError):
        decoded(entries, {})


def test_numbers_that_are_allowed() -> None:
    whole = decoded([GAUSSIAN, *_joint(0.25)], {})
    assert whole.ratio == 0.25
    assert decoded([GAUSSIAN | {"scale": 1e100}], {}).scale == 1e100
    assert math.isinf(there_and_back(Candidate("paired", False, (1,), math.inf)).variance)  # predicted, not a kernel's


@dataclass(frozen=True)
class Gaussian2:
    """Another class of a name that is taken."""


Gaussian2.__name__ = "GaussianDirection"


def test_types_are_classes_and_not_their_names() -> None:
    """`JordanPart.direction` took any class with the bare name of the one that is declared."""
    wave, mass = WavePart.POSITIVE_COSINE, 0.5
    values = {"direction": Gaussian2(), "wave": wave, "mass": mass, "by_rejection": False, "remark": ""}
    with pytest.raises(ValueError, match="direction must be"):
        check_values(JordanPart, values)
    laplace = {"kind": "distribution.laplace", "scale": 1.0}  # the law of this name, not the kernel
    with pytest.raises(ValueError, match="kernel must be"):
        decoded([laplace, {"kind": "law.binning", "kernel": {"part": 0}, "pitch": {"part": 0}}], {})


@pytest.mark.parametrize("kind", sorted(PARTS))
def test_the_types_of_all_fields_are_known(kind: str) -> None:
    """Annotations name classes that are imported, not only for types: else no value could be compared with them."""
    cls = class_of(kind)
    values = {own.name: object() for own in saved_fields(cls)}
    if values:
        with pytest.raises(ValueError, match="must be"):
            check_values(cls, values)


def test_arrays_that_nothing_refers_to_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing refers to"):
        decoded([GAUSSIAN], {"0.scale": np.ones(1)})
    assert decoded([GAUSSIAN], {}) == Gaussian(scale=1.5, dim=2)


def test_an_array_is_used_once_and_in_its_place() -> None:
    entries, arrays = encoded(KEY)
    with pytest.raises(ValueError):
        decoded([entries[0] | {"offsets": {"array": "0.pitches"}}], arrays)
    with pytest.raises(ValueError, match="missing array"):
        decoded(entries, {})
    with pytest.raises(ValueError, match="has the type"):
        decoded(entries, arrays | {"0.pitches": np.ones((1, 2), dtype=np.float32)})


def test_lines_that_double_are_not_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel: Any = Select(base=Gaussian(scale=1.0, dim=1), positions=(0,), dim=1)
    for _ in range(60):
        kernel = Product(factors=(kernel, kernel), dim=1)
    with pytest.raises(ValueError, match="more than 1,000,000 parts"):
        decoded(*encoded(kernel))
    monkeypatch.setattr(codec, "MAX_MAP_PARTS", 3)
    entries, _ = encoded(Product(factors=(Gaussian(scale=1.0, dim=1),) * 3, dim=1))
    with pytest.raises(ValueError, match="more than 3 parts"):
        decoded(entries, {})


def test_it_is_plain_json() -> None:
    fmap = ks.compile("match()[0] * gaussian() + laplace()", dim=3, n_features=24, buckets=7)
    entries, arrays = encoded(fmap.plain)
    text = json.dumps(entries, allow_nan=False)
    assert decoded(json.loads(text), arrays).plan == fmap.plan


def test_matrices_of_lists_are_refused() -> None:
    stretch = {"kind": "kernel.stretch", "dim": 2, "base": {"part": 0}}
    assert decoded([GAUSSIAN, stretch | {"matrix": [[1.0, 2], [3, 4]]}], {}).matrix == ((1.0, 2), (3, 4))
    for matrix in ([[1.0, [2.0]], [3, 4]], [[[1, 2], [3, 4]], [[1, 2], [3, 4]]], [1.0, [2.0, 3.0]], [[1.0, 2.0], 3.0]):
        with pytest.raises(ValueError):
            decoded([GAUSSIAN, stretch | {"matrix": matrix}], {})
