"""The catalogue of distributions."""

import pytest

from kernelspec.distributions.distribution import DISTRIBUTIONS, Distribution, load_distribution
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
