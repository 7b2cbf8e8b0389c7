"""For tests of kernels and features: assertions with a stated probability of a false alarm, and a ledger.

The assertions accept specs, estimators with `fit` and `transform`, and callables. `-p kernelspec.testing.plugin` shares
one budget among all assertions of a pytest run.
"""

from kernelspec.testing.assertions import assert_growth, assert_unbiased, assert_variance
from kernelspec.testing.laboratory import Ledger
from kernelspec.testing.laws import assert_measure, assert_sampler

__all__ = ["Ledger", "assert_growth", "assert_measure", "assert_sampler", "assert_unbiased", "assert_variance"]
