"""The catalogue of kernels."""

import subprocess
import sys

import pytest

from kernelspec.errors import UnknownNameError
from kernelspec.expressions.arguments import signature
from kernelspec.kernels.leaf import KERNELS, Leaf, load_kernel
from tests.kernels.cases import CATALOGUE_CASES

SIGNATURES = {
    "gaussian": "gaussian(scale=1)",
    "laplace": "laplace(scale=1)",
    "exponential": "exponential(scale=1)",
    "matern": "matern(nu, scale=1)",
    "cauchy": "cauchy(scale=1)",
    "rational_quadratic": "rational_quadratic(alpha, scale=1)",
    "powered_exponential": "powered_exponential(alpha, scale=1)",
    "triangle": "triangle(width=1)",
    "sinc": "sinc(bandwidth=1)",
    "cosine": "cosine(by)",
    "periodic": "periodic(period, scale=1)",
    "bochner": "bochner(distribution, isotropic=false)",
    "match": "match()",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_entry(name):
    cls = load_kernel(name)
    assert issubclass(cls, Leaf)
    assert cls.name == name
    assert signature(name, cls) == SIGNATURES[name]
    for text in (cls.formula, cls.frequencies, cls.reference, cls.__doc__):
        assert text
    assert list(KERNELS) == sorted(KERNELS)


@pytest.mark.parametrize("name", [name for name in SIGNATURES if name != "match"])
def test_every_stationary_entry_has_cases(name):
    assert any(case.startswith(name) for case, _ in CATALOGUE_CASES)


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="no kernel called 'gausian'"):
        load_kernel("gausian")


@pytest.mark.slow
def test_the_catalogue_itself_imports_no_kernel_and_no_heavy_package():
    code = (
        "import sys, kernelspec.kernels.leaf, kernelspec.distributions.distribution\n"
        "before = set(sys.modules)\n"
        "assert not {'sympy', 'scipy', 'kernelspec.kernels.leaves.matern'} & before, before\n"
        "from kernelspec.kernels.leaf import KERNELS, load_kernel\n"
        "from kernelspec.distributions.distribution import DISTRIBUTIONS, load_distribution\n"
        "[load_kernel(name) for name in KERNELS], [load_distribution(name) for name in DISTRIBUTIONS]\n"
        "assert not {'sympy', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
