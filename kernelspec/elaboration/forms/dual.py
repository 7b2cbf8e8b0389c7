"""The dual of an activation over a kernel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.canonical import is_zero, weighted_sum
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import RangeError
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.notation.elementary import known_number

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes
    from kernelspec.notation.arguments import Scalar

__all__ = ["DUAL", "dual_of", "max_degree_of"]

_SHOWN = "dual(activation, kernel, max_degree=n)"
_LARGEST_CUT = 10_000
_ROUNDING = 1e-9
_LAST_BITS = 1e-14


def _dual(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["activation", "kernel", "max_degree"], _SHOWN)
    require_arguments(node, given, ("activation", "kernel"), f"{_SHOWN}, such as dual(relu, circle()[0])")
    activation = elaborator.activation(given["activation"], columns, scope)
    kernel = elaborator.kernel(given["kernel"], columns, scope)
    cut = max_degree_of(elaborator, given["max_degree"], columns, scope) if "max_degree" in given else None
    return dual_of(elaborator, activation, kernel, columns, node, cut)


def max_degree_of(elaborator: Elaborator, node: nodes.Expression, columns: Columns, scope: Definitions) -> int | None:
    """The number of an argument `max_degree`; None if it is not known yet. Raises RangeError."""
    value = elaborator.number(elaborator.value(node, columns, scope), node, "'max_degree'")
    known = elaborator.arithmetic.known(value)
    if known is None:
        return None
    if known != int(known) or not 0 <= known <= _LARGEST_CUT:
        raise RangeError(f"'max_degree' must be a whole number from 0 to {_LARGEST_CUT}, not {known:g}", node.span)
    return int(known)


def dual_of(
    elaborator: Elaborator,
    activation: Activation,
    kernel: Kernel,
    columns: Columns,
    node: nodes.Call,
    max_degree: int | None = None,
) -> Kernel:
    """σ̂(k). Raises RangeError where k may have values at which the power series of σ̂ diverges."""
    made = Dual(activation=activation, base=kernel, max_degree=max_degree, dim=kernel.dim, span=node.span)
    radius = _known(activation.radius())
    if is_zero(kernel):  # σ̂(0), whatever the rows are
        one = Constant(dim=columns.dim, span=node.span)
        return weighted_sum([(made.of_size(elaborator.constant(0)), one)], columns, node.span)
    if radius is None or radius == math.inf:
        if made.magnitude() == math.inf:  # never while a parameter is free
            raise RangeError(
                f"{node.function}({activation}, …) of this kernel, whose mass is {float(kernel.magnitude()):g}, is "
                "larger than any float: normalize the kernel, as in normalize(k)",
                node.span,
            )
        return made
    if not kernel.has_constant_diagonal:
        raise RangeError(
            f"{node.function}({activation.name}, …) needs a kernel of values between −{radius:g} and {radius:g}, and "
            "those of linear() have no bound: write normalize(linear()), or sphere() for rows of norm 1",
            node.span,
        )
    mass = _known(kernel.magnitude())
    if mass is None or not _diverges(activation, mass, radius):
        return made
    here = _known(kernel.diagonal())
    plain = here is not None and abs(here - mass) <= _ROUNDING * mass
    where, more = ("below", "more than ") if activation.diverges_at_radius else ("up to", "")
    way_out = "normalize the kernel, as in normalize(k)" if plain else f"divide the kernel by {more}{mass / radius:.6g}"
    raise RangeError(
        f"{node.function}({activation.name}, …) is a power series that converges {where} {radius:g}, and the mass of "
        f"this kernel is {mass:g}: {way_out}",
        node.span,
    )


def _diverges(activation: Activation, mass: float, radius: float) -> bool:
    """Whether Σ a_l m^l is infinite. The series converges for a mass of one, however near the radius is."""
    if activation.diverges_at_radius:
        return mass > 1 and mass >= radius * (1 - _LAST_BITS)
    return mass > radius * (1 + _ROUNDING)


def _known(number: Scalar) -> float | None:
    """The number as a float, infinity too; None for a symbol, and while it is not known."""
    known = known_number(number)
    return None if known is None or math.isnan(known) else known


DUAL = Form("dual(activation, k, max_degree=…)", "σ̂(k) = E σ(X)σ(Y) for normal X, Y of correlation k", _dual)
