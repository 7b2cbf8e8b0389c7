"""The catalogue of distributions."""

import pytest

from kernelspec.distributions.catalogue import DISTRIBUTIONS, load_distribution
from kernelspec.distributions.distribution import Distribution
from kernelspec.errors import UnknownNameError


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_entry(name):
    cls = load_distribution(name)
    assert issubclass(cls, Distribution)
    assert cls.name == name
    assert cls.formula
    assert cls.reference
    assert list(DISTRIBUTIONS) == sorted(DISTRIBUTIONS)


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="no distribution called 'normal'"):
        load_distribution("normal")
