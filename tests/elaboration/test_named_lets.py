"""The kernels of let lines in the tree."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.elaboration.valued_program import kernel_and_lets


def test_lets_are_parts_of_the_tree() -> None:
    spec = ks.parse("let w = 3\nlet k = laplace(w)\nlet both = k[a]*k[b]\nboth + 2*k[a]*both")
    kernel, lets = kernel_and_lets(spec, spec.columns())
    assert sorted(name for name, _ in lets) == ["both", "k", "k"]
    there = {id(part) for part in kernel.parts()}
    assert all(id(value) in there for _, value in lets)
