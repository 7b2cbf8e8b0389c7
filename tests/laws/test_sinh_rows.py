"""The sinh kernel with its hyperbolic factor on the rows: sums of terms that share a frequency."""

from __future__ import annotations

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.polar import SinhRowsLaw, rows
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.translation import TiltLaw
from kernelspec.random.streams import Stream
from tests.kernels.asymmetric import make
from tests.kernels.asymmetric import rows as table
from tests.laws.test_translation import values

X = np.random.default_rng(0).standard_normal((5, 3))
BETA = (0.5, -0.25)
COLUMNS = (2, 0)


def test_value_and_moments() -> None:
    kernel = make("sinh", 3)
    law = rows(kernel)
    assert isinstance(law, SinhRowsLaw)
    pairs = NumericPairs(table(3), table(3, seed=8))
    np.testing.assert_allclose(law.value(pairs), kernel.value(pairs), rtol=1e-11)
    factor = 1 + np.sinh(pairs.inner(kernel.by))
    gaussian = FourierLaw(kernel.gaussian).moments(pairs)
    np.testing.assert_allclose(law.moments(pairs).a, gaussian.a * factor**2, rtol=1e-11)
    np.testing.assert_allclose(law.moments(pairs).b, gaussian.b * factor**2, rtol=1e-11)
    assert law.magnitude() == 1
    assert law.lines((0, 1, 2))[0].startswith("three times, as they are, and as ±½ of rows scaled by")


def test_which_kernels_have_it() -> None:
    assert isinstance(rows(make("cosh", 2)), TiltLaw)
    assert rows(make("shift", 2)) is None
    assert rows(make("sinh", 2, by=(0.0, 0.0))) is None


def total(batches: list, n: int) -> np.ndarray:  # type: ignore[type-arg]
    p = np.zeros((n, len(X), len(X)), dtype=complex)
    for batch in batches:
        zeros = values(batch, X, "left")[:, None] * (values(batch, X, "right") * batch.sign).conj()
        np.add.at(p, batch.index, np.moveaxis(zeros, 2, 0))
    return p


def test_three_terms_make_one_sample() -> None:
    base = FourierLaw(Gaussian(dim=2))
    law = SinhRowsLaw(base, BETA)
    assert law.n_terms == 3
    assert law.has_amplitude
    factor = 1 + np.sinh((X[:, None] - X[None])[..., [2, 0]] @ BETA)
    plain = total(base.draw(Stream(3), 30, COLUMNS), 30)
    np.testing.assert_allclose(total(law.draw(Stream(3), 30, COLUMNS), 30), plain * factor, rtol=1e-10, atol=1e-12)


def test_products_of_sums_are_taken_term_by_term() -> None:
    base = FourierLaw(Gaussian(dim=2))
    sinh = SinhRowsLaw(base, BETA)
    product = ProductLaw((sinh, base, sinh))
    assert product.n_terms == 9
    stream = Stream(4)
    factors = [total(part.draw(stream.child(i), 20, COLUMNS), 20) for i, part in enumerate(product.factors)]
    batches = product.draw(stream, 20, COLUMNS)
    assert sum(len(batch) for batch in batches) == 180
    np.testing.assert_allclose(total(batches, 20), factors[0] * factors[1] * factors[2], rtol=1e-9, atol=1e-12)
