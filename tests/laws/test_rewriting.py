"""Other ways to sample the nodes of a tree."""

from __future__ import annotations

from kernelspec.laws.binned import Binned
from kernelspec.laws.rewriting import rewrite, schemes

import kernelspec as ks
from kernelspec.kernels.kernel import Kernel


def tree(text: str, dim: int = 3) -> Kernel:
    return ks.parse(text).kernel(ks.parse("gaussian()").columns(dim))


def binned_leaves(kernel: Kernel) -> list[str]:
    found, pending = [], [kernel]
    while pending:
        node = pending.pop()
        if isinstance(node, Binned):
            found.append(str(node))
        pending.extend(node.children() if not isinstance(node, Binned) else ())
    return sorted(found)


def test_schemes_of_a_tree() -> None:
    assert schemes(tree("gaussian() * cauchy()")) == ()
    assert schemes(tree("gaussian() * (laplace() + triangle())[0]")) == ("binning",)
    assert schemes(tree("minmax()")) == ("gcws", "poisson")
    assert set(schemes(tree("minmax()[0, 1] * laplace()[2]"))) == {"gcws", "poisson", "binning"}


def test_all_that_can_be_replaced_is() -> None:
    text = "gaussian() * (2 * laplace() + triangle()[0, 1]) ** 2 - stretch(laplace(scale=3), 2)"
    kernel = tree(text)
    assert binned_leaves(kernel) == []
    assert binned_leaves(rewrite(kernel, "binning")) == ["laplace(scale=1)", "laplace(scale=3)", "triangle(width=1)"]


def test_what_has_no_such_node_is_itself() -> None:
    for text in ("gaussian() + cauchy()", "laplace()"):
        kernel = tree(text)
        assert rewrite(kernel, "poisson") is kernel
