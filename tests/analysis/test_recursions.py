"""Every recursion over the nodes of a kernel has a rule for every class of nodes, and none for a class it never met."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy

import kernelspec as ks
import kernelspec.kernels
from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.analysis.smoothness import derivatives
from kernelspec.analysis.variances import complexity, constant_share, dual_nodes, skeletons_in
from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaf import load_kernel
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.parts import height, measured
from kernelspec.laws.finite_features import finite_features
from kernelspec.laws.rules import laws_of, schemes_of
from kernelspec.planning.strata import terms_of

TEXTS = [
    "gaussian()", "laplace()", "exponential()", "matern(3/2)", "cauchy()", "rational_quadratic(2)",
    "powered_exponential(1)", "triangle()", "sinc()", "cosine(1)", "periodic(2)", "polya(gamma(3))",
    "bochner(student_t(3))", "shift_gaussian(by=1)", "sinh_gaussian(by=1)", "cosh_gaussian(by=1)", "minmax()",
    "rbf_cosine()", "linear()", "sphere()", "circle()", "binary()", "match()", "noise()", "constant()",
    "product(t -> exp(-t))", "radial(r -> tanh(r)/r)",
    "normalize(linear())", "0.5*gaussian() + laplace()", "gaussian()*match()", "match()**3",
    "gaussian()[0]*laplace()[1]",
    "stretch(gaussian(), [[1, 2], [0, 1]])", "shift(laplace(), by=1)", "tilt(cauchy(), by=1)", "dual(relu, circle())",
    "dual(relu, circle(), max_degree=3)", "dual(relu, sphere())", "full(relu, input=image(1, 2, 1))",
]  # fmt: skip


def widths(text: str) -> Iterator[int]:
    for dim in (1, 2):
        try:
            ks.parse(text).kernel(Columns(dim))
        except ks.KernelspecError:
            continue
        yield dim


def every_node() -> list[Kernel]:
    """One node of every class at least, on one column and on two."""
    found: dict[Any, Kernel] = {}
    for text in TEXTS:
        for dim in widths(text):
            whole = ks.parse(text).kernel(Columns(dim))
            for node in whole.parts():
                found.setdefault((type(node), node.dim), node)
    return list(found.values())


def classes() -> set[type[Kernel]]:
    for module in pkgutil.walk_packages(kernelspec.kernels.__path__, "kernelspec.kernels."):
        importlib.import_module(module.name)
    found, pending = set(), [Kernel]
    while pending:
        below = [cls for cls in pending.pop().__subclasses__() if cls.__module__.startswith("kernelspec.")]
        pending += below
        found |= {cls for cls in below if not inspect.isabstract(cls)}
    return found


NODES = every_node()


def lag(node: Kernel) -> list[Any]:
    return [sympy.Rational(1, 3)] * int(node.dim)


RECURSIONS: dict[str, Callable[[Kernel], Any]] = {
    "complexity": complexity,
    "norm_bound": norm_bound,
    "constant_share": constant_share,
    "dual_nodes": dual_nodes,
    "skeletons_in": skeletons_in,
    "height": lambda node: height(node, lag(node)),
    "verdict": lambda node: node.verdict(),
    "layout_of": lambda node: layout_of(node, Columns(int(node.dim))),
    "finite_features": finite_features,
    "laws_of": laws_of,
    "schemes_of": schemes_of,
    "terms_of": terms_of,
    "derivatives": derivatives,
    "measured": lambda node: measured(node, NumericPairs.of_vectors(np.ones((2, int(node.dim))))),
    "transposed": lambda node: node.transposed(),
}


def test_every_class_has_a_node() -> None:
    met = {type(node) for node in NODES}
    # the base of the inner products, a let in a formula, what a later version will have
    assert {cls.__name__ for cls in classes() - met} <= {"InnerProduct", "Named", "Unavailable"}
    assert {load_kernel(name) for name in KERNELS} <= met


@pytest.mark.parametrize("name", list(RECURSIONS))
def test_every_recursion_has_a_rule_for_every_node(name: str) -> None:
    for node in NODES:
        RECURSIONS[name](node)


@pytest.mark.parametrize(
    "name",
    ["complexity", "norm_bound", "constant_share", "height", "finite_features", "laws_of", "measured", "derivatives"],
)
def test_an_unknown_node_is_refused(name: str) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unknown(Kernel):
        """A kernel that nobody registered."""

        def value(self, pairs: Any) -> Any:
            return 1

        def diagonal(self) -> Any:
            return 1

        def magnitude(self) -> Any:
            return 1

        def verdict(self) -> Verdict:
            return Verdict("proved", ())

        @property
        def is_stationary(self) -> bool:
            return True

    node = Unknown(dim=1)
    with pytest.raises(TypeError, match=r"no (rule|law) for .*Unknown"):
        RECURSIONS[name](node)
    with pytest.raises(TypeError, match=r"no (rule|law) for .*Unknown"):
        RECURSIONS[name](Sum(terms=(node, Constant(dim=1)), weights=(1.0, 2.0), dim=1))


def test_what_varies() -> None:
    """E l = 2 for the Poisson degrees of exp(c=2), and e⁻² of the samples are constant."""
    circle = ks.parse("dual(exp(c=2), circle())").kernel(Columns(1))
    assert complexity(circle) == pytest.approx(2)
    assert constant_share(circle) == pytest.approx(math.exp(-2))
