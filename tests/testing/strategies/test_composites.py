"""Composites: every form comes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.testing.strategies import LEAVES, kernels
from tests.testing.strategies.examples import drawn

NAMES = ("age", "in come", "land")
LEAF = re.compile(rf"\b({'|'.join(LEAVES)})\(")


@pytest.mark.long
def test_everything_that_may_come_comes() -> None:
    texts = drawn(kernels(3, names=NAMES, signed=True), 400)
    forms = ("mean(", ") ** 3", "stretch(", "modulate(", "normalize(", "param ", "let ")
    for word in (*(f"{name}(" for name in LEAVES), *forms, '"in come"', "[-1", "isotropic=true", " - ", "(-0"):
        assert any(word in text for text in texts), word
    assert any("dual(relu, " in text for text in drawn(kernels(3), 200))  # of kernels without signs
    assert any(len(LEAF.findall(text)) >= 4 for text in texts)
    grams = [ks.parse(text).gram(np.eye(3), columns=NAMES) for text in texts]
    assert sum(np.linalg.eigvalsh(gram)[0] < -0.01 for gram in grams) >= 14
