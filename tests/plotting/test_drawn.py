"""Kernels of a figure: what they are called."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.plotting import drawn_kernels, label_of, plot_kernels
from tests.plotting.reading_figures import legend


def test_labels() -> None:
    specs = [ks.parse("param s = 2\ngaussian(scale=s)", {"s": 0.5}), ks.parse("laplace()")]
    assert label_of(specs[0]) == "gaussian(scale=s), s = 0.5"
    assert [each.label for each in drawn_kernels(specs)] == ["gaussian(scale=s), s = 0.5", "laplace()"]
    assert legend(plot_kernels(specs, ["narrow", "a\nheavy  tail"])) == ["narrow", "a heavy tail"]
    (long,) = legend(plot_kernels(specs[1:], ["x" * 500]))
    assert long.startswith("xxx")
    assert len(long) < 100
