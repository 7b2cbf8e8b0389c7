"""A kernel from a formula of the Euclidean distance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.derived_arguments import derived
from kernelspec.elaboration.forms.form import Form
from kernelspec.elaboration.formula_argument import Written, check_line, formula_argument, normalized
from kernelspec.elaboration.radial_recognition import radial_catalogue_terms, recognized_radial
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.elaboration.written_numbers import exact_number
from kernelspec.errors import RangeError
from kernelspec.formulas.criterion import polya_criterion
from kernelspec.formulas.floats import values
from kernelspec.formulas.limits import limit
from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.kernels.families.formula_radial import FormulaRadial

if TYPE_CHECKING:
    from kernelspec.elaboration.elaborator import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language import nodes

__all__ = ["RADIAL"]

_SHOWN = "radial(r -> f(r))"


def _radial(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    elaborator.counts.count_kernels(1, node)
    written = formula_argument(
        elaborator, node, columns, scope, _SHOWN, "a kernel of the catalogue stands by itself, as in gaussian()"
    )
    check_line(written)
    formula = written.formula
    if elaborator.checking:
        if not formula.unknowns():
            _check_start(written)
        return FormulaRadial(shape=formula, dim=columns.dim, span=node.span)
    arithmetic = elaborator.arithmetic
    named = derived(lambda: recognized_radial(formula, columns, arithmetic, node.span), arithmetic, node.span)
    if named is not None:
        return named
    found = normalized(formula)
    if found is None:
        raise _no_start(written)
    size, shape = found
    on_line = columns.count == 1 and polya_criterion(shape).is_proved
    family = FormulaProduct if on_line else FormulaRadial
    kernel = family(shape=shape, dim=columns.dim, span=node.span)
    return weighted_sum([(exact_number(size, arithmetic), kernel)], columns, node.span)


def _check_start(written: Written) -> None:
    """Raise RangeError where f(0) is known to be infinite, or 0 and f no sum of known kernels."""
    start = limit(written.formula, Fraction(0))
    if start is None and math.isinf(float(values(written.formula, 0.0))):
        raise _no_start(written)
    if start is None or (start != 0 and not isinstance(start, float)):
        return
    if all(radial_catalogue_terms(written.formula, on_line) is None for on_line in (True, False)):
        raise _no_start(written)


def _no_start(written: Written) -> RangeError:
    name = written.formula.variable
    return RangeError(
        f"radial() needs a formula with a value other than 0 at {name} = 0, as k(x, x) = f(0): "
        f"f({name}) has none there that can be told exactly",
        written.node.body.span,
    )


RADIAL = Form(_SHOWN, "f(‖Δ‖₂) for a formula f of the Euclidean distance", _radial)
