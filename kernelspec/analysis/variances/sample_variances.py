"""How much one sample's inner product varies, for each kind of feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.symbolic_steps import derive
from kernelspec.laws.rules import OF_SHARES, law_of, schemes_of

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.pairs import Pairs

__all__ = ["methods_by_variance", "sample_variances"]


def sample_variances(kernel: Kernel, pairs: Pairs) -> dict[str, Any]:
    """E Z² − (E Z)² of one sample Z in SymPy, by method; E Z = k(x, y), unless some max_degree cuts it.

    Cosine and sine ("paired"; "complex" has the same), random offsets ("phase"), and any other way to sample some part,
    such as "binning". The symbol not_derived_in_time where that takes too long.
    """
    import sympy

    others = tuple(scheme for scheme in schemes_of(kernel) if scheme not in OF_SHARES)

    def found() -> dict[str, Any]:
        law = law_of(kernel)
        moments, square = law.moments(pairs), law.mean(pairs) ** 2
        paired = moments.paired() - square
        variances = {"paired": paired, "phase": moments.phase() - square, "complex": paired}
        for scheme in others:
            other = law_of(kernel, scheme)
            variances[scheme] = other.moments(pairs).paired() - other.mean(pairs) ** 2
        return {method: sympy.S(variance) for method, variance in variances.items()}

    return derive(found, lambda late: dict.fromkeys(("paired", "phase", "complex", *others), late))


def methods_by_variance(variances: Mapping[str, Any]) -> dict[Any, list[str]]:
    """The different variances, each with the methods that have it."""
    shared: dict[Any, list[str]] = {}
    for method, variance in variances.items():
        shared.setdefault(variance, []).append(method)
    return shared
