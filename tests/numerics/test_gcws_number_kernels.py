"""The random numbers of consistent weighted samples, against their laws."""

import numpy as np
from scipy.stats import gamma, kstest, uniform

from kernelspec.numerics.gcws_kernels import logarithms, random_tables
from kernelspec.random.streams import scramble


def test_the_laws_of_the_random_numbers():
    words, tile = scramble(np.arange(400)), 256
    tables = random_tables(words, np.arange(50), tile)
    r, beta, ln_c = (tables[:, :, i].transpose(0, 2, 1).reshape(-1, 50)[:400].ravel() for i in range(3))
    assert kstest(r, gamma(2).cdf).pvalue > 1e-7
    assert kstest(np.exp(ln_c), gamma(2).cdf).pvalue > 1e-7
    assert kstest(beta, uniform.cdf).pvalue > 1e-7
    assert np.abs(np.corrcoef([r, beta, ln_c])[np.triu_indices(3, 1)]).max() < 5.5 / np.sqrt(len(r))


def test_a_number_depends_on_its_word_and_coordinate_alone():
    words = scramble(np.arange(40))
    whole = random_tables(words, np.arange(9), 16)
    some = random_tables(words[17:19], np.array([8, 3]), 16)
    assert np.array_equal(some[0, :, :, :2], whole[1, [8, 3], :, 1:3])


def test_logarithms_are_rounded_once():
    x = np.exp(np.random.default_rng(12).uniform(-600, 600, 500))
    assert np.array_equal(logarithms(x), np.log(x.astype(np.longdouble)).astype(np.float32))
