"""The heaviest atoms exactly."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.atoms import AtomsLaw, OtherAtomsLaw, atoms
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import OneLaw
from kernelspec.laws.rules import schemes_of
from kernelspec.random.streams import Stream
from kernelspec.samples.inner_products import mean_products
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from tests.laws.texts import kernel_of, law

X = np.random.default_rng(5).uniform(-2, 2, (5, 2))


def test_every_sample_is_all_of_them_without_variance() -> None:
    own, rows = AtomsLaw(kernel_of("periodic(period=1, scale=1/2)[0] * cosine(by=[1, 3])", 2), 5), Rows(X)
    others = Rows(X[::-1])
    pairs = NumericPairs(rows, others, grid=False)
    for seed in range(3):
        drawn = own.draw(Stream(seed), 2, (0, 1))
        np.testing.assert_allclose(mean_products(drawn, rows, others, 2), own.value(pairs), rtol=1e-12, atol=1e-14)
    assert not own.variance(pairs, 1, "paired").any()
    assert own.n_terms == 5
    assert own.magnitude() == pytest.approx(float(own.value(NumericPairs(rows, rows))[0, 0]), rel=1e-14)


def test_which_kernels_have_it() -> None:
    found = law("periodic(period=1)", 1, "atoms")
    assert isinstance(found, MixtureLaw)
    assert [type(part) for part in found.parts] == [OneLaw, AtomsLaw, OtherAtomsLaw]
    finite = law("cosine(by=[1, 2]) ** 2", 2, "atoms")
    assert isinstance(finite, MixtureLaw)
    assert [type(part) for part in finite.parts] == [OneLaw, AtomsLaw]
    # one pair is exact by itself
    for text in (
        "cosine(by=[1, 2])",
        "circle()[0]",
        "gaussian()",
        "gaussian() * cosine(by=1)",
        "shift(periodic(period=1), by=[1, 0])",
    ):
        assert atoms(kernel_of(text, 2)) is None
        assert "atoms" not in schemes_of(kernel_of(text, 2)), text


def test_numbers_that_there_are_not() -> None:
    kernel = kernel_of("cosine(by=1) ** 2", 1)
    for wrong in (0, 2, True):
        with pytest.raises(ValueError, match="pairs of atoms"):
            AtomsLaw(kernel, wrong).validate()
    with pytest.raises(ValueError, match="are not known"):
        AtomsLaw(kernel_of("gaussian()", 1), 1).validate()


@pytest.mark.parametrize(
    ("text", "n_features"),
    [
        ("periodic(period=1, scale=1/4)[0]", 9),
        ("0.7*periodic(period=1, scale=1/4)[0] - 0.3*stretch(periodic(period=1, scale=1/2)[1], 3) + gaussian()", 24),
    ],
)
def test_mean_and_variance(text: str, n_features: int) -> None:
    assert_unbiased(text, X, method="atoms", n_features=n_features, n_maps=200, budget=1e-8)


def test_the_words() -> None:
    line = AtomsLaw(kernel_of("periodic(period=1, scale=1)", 1), 3).lines((0,))[0]
    assert line.startswith(
        "the 3 heaviest of 14 pairs of frequencies of periodic(period=1, scale=1) on columns 0, exactly"
    )
    # 1 − 2/e (I_4(1) + I_5(1) + …), I_4 to I_7 being .00273712, .00027146, .00002249, .00000160
    assert line.endswith("with the constant 0.997769 of its mass")


def test_the_same_bits_in_any_batch_and_under_another_name_of_the_columns() -> None:
    fmap = ks.compile("periodic(period=1, scale=1/3)[0] * cosine(by=2)[1]", dim=2, n_features=33, seed=4)
    assert "atoms" in fmap.plan.chosen.schemes
    whole = fmap.transform(X)
    assert np.array_equal(whole, np.concatenate([fmap.transform(X[:2]), fmap.transform(X[2:])]))
