"""Verdicts."""

from dataclasses import FrozenInstanceError

import pytest

from kernelspec.kernels.kernel import Verdict


def test_defaults_and_immutability():
    verdict = Verdict("proved", ("because",))
    assert (verdict.symmetric, verdict.stationary) == (True, True)
    with pytest.raises(FrozenInstanceError):
        verdict.symmetric = False
