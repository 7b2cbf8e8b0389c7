"""The sine."""

import numpy as np

from kernelspec.activations.analytic import Sin
from kernelspec.random.streams import Stream
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Sin(), np.sin),
        (Sin(a=0.3), lambda x: np.sin(0.3 * x)),
        (Sin(a=2.2), lambda x: np.sin(2.2 * x)),
    ]
)


def test_a_slow_sine_is_the_identity() -> None:
    rho = np.linspace(-1, 1, 11)
    for slow in (Sin(a=1e-70), Sin(a=1e-9)):
        np.testing.assert_allclose(slow.dual(rho), rho, atol=1e-15)
        assert (slow.draw_degrees(Stream(1), 100) == 1).all()
