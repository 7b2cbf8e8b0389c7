"""How many factors a sample of a product of kernels has, through powers and nested products."""

from __future__ import annotations

from collections.abc import Sequence

from kernelspec.errors import RangeError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.language.nodes import Expression
from kernelspec.limits import MAX_FACTORS

__all__ = ["factor_count", "require_few_factors"]


def require_few_factors(factors: Sequence[Kernel], exponent: int, node: Expression) -> None:
    """Raise RangeError where the product of these factors to a whole power has more than MAX_FACTORS."""
    count = exponent * sum(map(factor_count, factors))
    if count > MAX_FACTORS:
        raise RangeError(
            f"this product has {count:,} factors, counting powers and every use of a let; at most {MAX_FACTORS:,} are "
            "allowed",
            node.span,
        )


def factor_count(kernel: Kernel) -> int:
    """The most factors a sample can have; those of a sum are those of one of its terms."""
    largest: dict[int, int] = {}
    pending: list[tuple[Kernel, bool]] = [(kernel, False)]
    while pending:
        current, ready = pending.pop()
        children = list(current.children())
        if not ready:
            if id(current) not in largest:
                pending.append((current, True))
                pending.extend((child, False) for child in children)
            continue
        counts = [largest[id(child)] for child in children]
        joined = sum(counts) if isinstance(current, Product) else max(counts, default=1)
        largest[id(current)] = joined * (current.exponent if isinstance(current, Power) else 1)
    return largest[id(kernel)]
