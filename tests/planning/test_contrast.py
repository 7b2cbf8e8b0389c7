"""Which kernels say nothing about rows."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.planning.contrast import DeadKernel, dead_kernel
from kernelspec.tables.rows import Rows

RNG = np.random.default_rng(1)
NORMAL = RNG.standard_normal((1000, 4))
CLUSTERS = np.repeat(np.arange(100.0)[:, None], 20, axis=0) + 1e-3 * RNG.standard_normal((2000, 4))
CODES = np.floor(RNG.random((1000, 4)) * 1e6)


def judged(text: str, X: np.ndarray) -> DeadKernel | None:
    spec = ks.parse(text)
    return dead_kernel(spec.kernel(spec.columns(X.shape[1])), Rows(X))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gaussian(scale=1e-3)", "all rows are strangers"),
        ("gaussian(scale=1e3)", "all rows are alike"),
        ("laplace(scale=0.01)*match()", "all rows are strangers"),
        ("noise()*gaussian(scale=1e-3)", "all rows are strangers"),
        ("0.5*gaussian(scale=1e-3) + 0.5*constant()", "all rows are strangers"),
        ("gaussian(scale=1e-3) + match()[0]", "all rows are strangers"),
        ("dual(relu, gaussian(scale=1e-3))", "all rows look the same"),
        ("gaussian(1e-3) + laplace(1e6)", "all rows are strangers"),
        ("product(t -> exp(-1000*t))", "all rows are strangers"),
    ],
)
def test_dead_kernels_are_found(text: str, words: str) -> None:
    found = judged(text, NORMAL)
    assert found is not None
    assert words in found.text()


@pytest.mark.parametrize(
    ("text", "X"),
    [
        ("gaussian(scale=2)", NORMAL),
        ("gaussian(scale=0.5)", NORMAL),
        ("gaussian(scale=10)", NORMAL),
        ("laplace()", NORMAL),
        # meant to be the identity, or constant, or of another kind
        ("match()", CODES),
        ("match()[0]", CODES),
        ("noise()", NORMAL),
        ("constant()", NORMAL),
        ("linear()", NORMAL + 9),
        ("minmax()", NORMAL + 100),
        ("rbf_cosine(1e-6)", NORMAL),
        ("gaussian()[0]*match()[1]", np.c_[NORMAL[:, 0], CODES[:, 1]]),
        # one scale of several is alive
        ("mean(gaussian(1e-3), gaussian(2), gaussian(1e3))", NORMAL),
        # clusters of 20 rows each, all strangers to each other
        ("gaussian(scale=0.1)", CLUSTERS),
        ("gaussian()", NORMAL[:10]),
        ("gaussian()", np.ones((50, 4))),
    ],
)
def test_no_false_alarms(text: str, X: np.ndarray) -> None:
    assert judged(text, X) is None


def test_the_words_have_quantiles_distance_and_length() -> None:
    found = judged("gaussian(scale=1e-3)", NORMAL)
    assert found is not None
    distance = np.median([np.linalg.norm(a - b) for a, b in zip(NORMAL[:500], NORMAL[500:], strict=True)])
    said = found.text()
    assert said.startswith(
        "k between rows: 5 % 0.00, median 0.00, 95 % 0.00: all rows are strangers; the median distance "
    )
    (dead,) = found.terms
    assert dead.measured is not None
    assert dead.measured.distance == pytest.approx(distance, rel=0.1)
    assert said.endswith(f"is {dead.measured.distance:.3g} and the scale 0.001")
