"""What all terms of a sum have in common."""

from __future__ import annotations

from collections import Counter
from functools import reduce

from kernelspec.elaboration.canonical import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.nodes.product import Product
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_common_factor"]


def by_common_factor(question: Question) -> Finding | None:
    """Proved where the kernel is h·k, h a factor of all its terms, and both are [Schur 1911].

    What is left of the terms is decided by the other rules.
    """
    terms = weighted_terms(question.expanded)
    factors = [_factors(term) for _, term in terms]
    common = reduce(lambda a, b: a & b, factors) if len(terms) > 1 else Counter[Kernel]()
    if not common:
        return None
    whole = question.expanded
    rest = weighted_sum(
        [(w, _product(own - common, whole)) for (w, _), own in zip(terms, factors, strict=True)],
        Columns(whole.dim),
        whole.span,
    )
    from kernelspec.verdicts.decision import decided

    outer, inner = _product(common, whole).verdict(), decided(Question(rest))
    if inner is None or (outer.positive_definite, inner.positive_definite) != ("proved", "proved"):
        return None
    rule = f"product of {_product(common, whole)} and the rest: positive definite when every factor is [Schur 1911]"
    return Finding("proved", (*outer.reasons, *inner.reasons, rule))


def _factors(kernel: Kernel) -> Counter[Kernel]:
    return Counter(kernel.factors if isinstance(kernel, Product) else (kernel,))


def _product(factors: Counter[Kernel], whole: Kernel) -> Kernel:
    found = tuple(factors.elements()) or (Constant(dim=whole.dim, span=whole.span),)
    return found[0] if len(found) == 1 else Product(factors=found, dim=whole.dim, span=whole.span)
