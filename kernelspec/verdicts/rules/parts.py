"""What follows from the parts of a kernel, where rules decide those."""

from __future__ import annotations

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.notation.elementary import known_sign
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_parts"]

_RULES: dict[type[Kernel], str] = {
    Product: "product: positive definite when every factor is [Schur 1911]",
    Power: "power: positive definite when the base is [Schur 1911]",
    Sum: "sum with positive weights: positive definite when every term is",
    Dual: "dual: a power series with coefficients of at least 0 [Schoenberg 1942]",
    Select: "on some of the columns: positive definite when the kernel is",
    Stretch: "stretch: a linear map of the columns keeps positive definiteness",
}


def by_parts(question: Question) -> Finding | None:
    """Proved where the kernel is a product, power, sum, dual, selection or stretch of what rules prove."""
    from kernelspec.verdicts.decision import decided

    kernel = question.kernel
    rule = _RULES.get(type(kernel))
    children = list(kernel.children())
    if rule is None or not children:
        return None
    if isinstance(kernel, Sum) and (len(children) == 1 or any(known_sign(w) != 1 for w in kernel.weights)):
        return None
    found = [decided(Question(child)) for child in children]
    if any(verdict.positive_definite != "proved" for verdict in found):
        return None
    return Finding("proved", (*(reason for verdict in found for reason in verdict.reasons), rule))
