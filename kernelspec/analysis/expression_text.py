"""SymPy expressions as text and LaTeX, of bounded length, and formulas with the structure of the spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kernelspec.analysis.variances import methods_by_variance, sample_variances
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram, kernel_and_lets
from kernelspec.expressions.arguments import Value
from kernelspec.expressions.pairs import Pairs
from kernelspec.expressions.structured_pairs import SIGNED, StructuredPairs, bracketed
from kernelspec.expressions.symbolic import KERNEL_CALLS, bounded, derive
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel, rebuilt
from kernelspec.kernels.nodes.columns_and_lags import Named, called
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.law import Moments
from kernelspec.laws.rules import closed_to, own_law
from kernelspec.loading import sympy
from kernelspec.rendering.notebooks import latex_subscript, latex_words

__all__ = [
    "StructuredFormulas",
    "diagonal_expression",
    "kernel_expression",
    "latex_of",
    "latex_text",
    "mathml_of",
    "shortened",
    "shown",
    "shown_size",
    "text_of",
    "variance_of",
    "with_superscripts",
]

_LONGEST = 2000
_TOO_LONG = "(too long to be printed in time)"
_LETTERS = {"x": "x", "y": "y", "omega": r"\omega"}  # functions indexed by columns


def text_of(expression: Any) -> str:
    """The expression as SymPy prints it, of any length, or a note that printing takes too long."""
    return bounded(lambda: _printed(lambda own: sympy.sstr(own, order=_order_of(own)), expression), lambda: _TOO_LONG)


def shown(expression: Any) -> str:
    """The expression as SymPy prints it, or its length if that is unreadable."""
    return shortened(text_of(expression))


def shortened(text: str) -> str:
    """The text, or its length if that is unreadable."""
    return text if len(text) <= _LONGEST else f"(an expression of {len(text):,} characters)"


def shown_size(size: Any) -> str:
    """`shown` for a size that may be infinite, as the word "infinite", or a float."""
    if isinstance(size, sympy.Float):
        return f"{float(size):.12g}"
    if sympy.S(size).is_infinite:
        return "-infinite" if size == -sympy.oo else "infinite"
    return shown(size)


def mathml_of(expression: Any) -> str:
    """The expression in presentation MathML, without `<math>`; equal categories are δ with two indices."""
    from html import escape

    from sympy.printing.mathml import MathMLPresentationPrinter

    class Printer(MathMLPresentationPrinter):  # type: ignore[misc, unused-ignore]
        def _print_KroneckerDelta(self, delta: Any) -> Any:  # noqa: N802
            found, letter, indices, comma = (self.dom.createElement(name) for name in ("msub", "mi", "mrow", "mo"))
            letter.appendChild(self.dom.createTextNode("δ"))
            comma.appendChild(self.dom.createTextNode(","))
            for part in (self._print(delta.args[0]), comma, self._print(delta.args[1])):
                indices.appendChild(part)
            found.appendChild(letter)
            found.appendChild(indices)
            return found

    def written() -> str:
        # SymPy writes names verbatim, and column names may contain anything
        named = [symbol for symbol in expression.free_symbols if isinstance(symbol, sympy.Symbol)]
        names = {symbol: symbol.func(escape(symbol.name), **symbol.assumptions0) for symbol in named}
        return str(Printer().doprint(expression.xreplace(names)))

    return bounded(written, lambda: f"<mtext>{_TOO_LONG}</mtext>")


def latex_of(expression: Any) -> str:
    """The expression as LaTeX."""
    otherwise = rf"\text{{{_TOO_LONG}}}"
    text = bounded(lambda: _printed(_in_latex, expression), lambda: otherwise)
    return otherwise if text == _TOO_LONG else text


def latex_text(words: str) -> str:
    """Words in a formula; powers and moduli in them are formulas again."""
    return r"E|p|^2".join(latex_words(part) if part else "" for part in words.split("E|p|²"))


def variance_of(methods: Sequence[str]) -> str:
    """The variance of some methods, as the left side of an equation in LaTeX."""
    return rf"\operatorname{{Var}}_{{{latex_words(', '.join(methods))}}}"


def _in_latex(expression: Any) -> str:
    """LaTeX with the columns' own names as indices, whatever characters they contain."""
    symbols = {symbol: symbol.name.partition("_") for symbol in sympy.S(expression).free_symbols}
    names = {
        symbol: latex_subscript(_LETTERS[letter], column[1:-1] if column[0] + column[-1] == "[]" else column)
        for symbol, (letter, _, column) in symbols.items()
        if letter in _LETTERS and column
    }
    return str(sympy.latex(expression, symbol_names=names, order=_order_of(expression)))


def _order_of(expression: Any) -> str | None:
    """The order of terms: SymPy's own, or unsorted if sorting would compute integrals for seconds."""
    integrals = expression.atoms(sympy.Integral) if isinstance(expression, sympy.Basic) else ()
    return "none" if any(integral.is_number for integral in integrals) else None


def _printed(printer: Callable[[Any], str], expression: Any) -> str:
    """The text of an expression. Python refuses to write integers of more than 4300 digits, as in (2π)^(d/2)."""
    try:
        return str(printer(expression))
    except ValueError:
        return _TOO_LONG


@dataclass(frozen=True)
class NamedLaw(Derived):
    """The samples of the kernel itself; A = k(0)² and B = k(0) k(2Δ) are written by its name if
    they have these values.
    """

    name: str

    def draw(self, stream: Any, n: int, columns: tuple[int, ...]) -> list[Any]:
        return self.base.draw(stream, n, columns)

    def value(self, pairs: Pairs) -> Value:
        return called(self.name, pairs)

    def mean(self, pairs: Pairs) -> Value:
        return self.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        found = self.base.moments(pairs)
        size = self.base.magnitude()
        if found.a == size**2 and found.b == size * self.base.value(pairs.map(2)):
            return Moments(found.a, size * called(self.name, pairs.map(2)), found.real)
        return found

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return self.base.lines(columns, names)


own_law.register(Named, lambda kernel, below: NamedLaw(below(kernel.base), kernel.name))
closed_to.register(Named, lambda kernel: closed_to(kernel.base))


def with_names(kernel: Kernel, names: Mapping[int, str]) -> Kernel:
    """The tree with every node whose id is listed replaced by its name."""
    if id(kernel) in names:
        return Named(base=kernel, name=names[id(kernel)], dim=kernel.dim)
    return rebuilt(kernel, Kernel, lambda part: with_names(part, names))


def kernel_expression(kernel: Kernel, pairs: Pairs) -> Any:
    """k(x, y) at one symbolic pair of rows; the symbol not_derived_in_time if it takes too long."""
    return derive(lambda: sympy.S(kernel.value(pairs)), lambda late: late, KERNEL_CALLS)


def diagonal_expression(kernel: Kernel, pairs: SymbolicPairs) -> Any:
    """k(x, x): a constant, or an expression in x for a kernel such as linear(); or not_derived_in_time."""
    operands = pairs.operands
    if not kernel.has_constant_diagonal and operands is not None:
        once = replace(pairs, component=lambda i: 0, operands=lambda i: (operands(i)[0],) * 2)
        return kernel_expression(kernel, once)
    return derive(lambda: sympy.S(kernel.diagonal()), lambda late: late)


_POWERS = {"2": "²", "3": "³", "4": "⁴", "6": "⁶"}


@dataclass(frozen=True)
class StructuredFormulas:
    """The formulas of a spec on some columns, with Δ_age for x_age − y_age and unexpanded norms."""

    spec: ValuedProgram
    columns: Columns

    def kernel(self) -> str:
        """k(x, y); for a sum, the terms in the order of the spec, with decimal weights."""
        if not isinstance(self._named, Sum) or not self._named.terms:
            return self.terms[0]
        said = ""
        for weight, term in zip(self._named.weights, self.terms, strict=True):
            number = bracketed(_number(weight), SIGNED)
            sign, size = (" - ", number[1:]) if number.startswith("-") else (" + ", number)
            part = bracketed(term, SIGNED)
            said += (sign if said else sign.strip().strip("+")) + (part if size == "1" else f"{size}*{part}")
        return said

    def lines(self) -> list[str]:
        """The kernel in terms of the spec's let names, and their definitions."""
        return [f"k(x, y) = {self.kernel()}", *(f"  {line}" for line in self.lets())]

    def spectrum(self, expression: Any) -> str:
        """A spectral measure in ω, with ‖ω‖² for the sum of the squares of all its components."""
        return _text(bounded(lambda: _with_norms(expression, self._kernel.dim), lambda: expression))

    def lets(self) -> list[str]:
        """`body = exp(-‖(Δ_a/5, Δ_b/2)‖²/2)`, a line for every `let` used by formulas, in the order of the spec."""
        found: dict[str, str] = {}
        for name, kernel in self._used:
            own = {key: other for key, other in self._names.items() if key != id(kernel)}
            pairs = self._pairs if kernel.dim == self._kernel.dim else StructuredPairs.between(kernel.dim)
            found.setdefault(name, _text(kernel_expression(with_names(kernel, own), pairs)))
        return [f"{name} = {text}" for name, text in found.items()]

    @cached_property
    def terms(self) -> list[str]:
        """The factors behind the weights of the sum; k itself if it is not a sum."""
        terms = (isinstance(self._named, Sum) and self._named.terms) or (self._named,)
        return [_text(kernel_expression(term, self._pairs)) for term in terms]

    def variances(self) -> list[str]:
        """The variance of one sample's inner product, one line per method."""
        found = methods_by_variance(sample_variances(self._named, self._pairs))
        return [f"{', '.join(methods)}: {_text(value)}" for value, methods in found.items()]

    @cached_property
    def _elaborated(self) -> tuple[Kernel, list[tuple[str, Kernel]]]:
        return kernel_and_lets(self.spec, self.columns)

    @property
    def _kernel(self) -> Kernel:
        return self._elaborated[0]

    @cached_property
    def _used(self) -> list[tuple[str, Kernel]]:
        """The lets that are proper parts of the tree."""
        there = {id(part) for part in self._kernel.parts()}
        return [
            (name, kernel) for name, kernel in self._elaborated[1] if id(kernel) in there and kernel is not self._kernel
        ]

    @cached_property
    def _names(self) -> dict[int, str]:
        return {id(kernel): name for name, kernel in self._used}

    @cached_property
    def _named(self) -> Kernel:
        return with_names(self._kernel, self._names)

    @cached_property
    def _pairs(self) -> StructuredPairs:
        return StructuredPairs.between(self._kernel.dim, self.spec.mapped(self.columns).names)


def _number(weight: Any) -> str:
    """A decimal if six digits are enough; else as SymPy prints it."""
    exact = sympy.S.Zero + weight  # −1 from a leading minus is an int
    short = f"{float(exact):.6g}" if exact.is_number else ""
    return short if short and abs(float(short) - float(exact)) <= 1e-12 * abs(float(exact)) else str(exact)


def _with_norms(expression: Any, dim: Any) -> Any:
    """The expression with ω for omega, and ‖ω‖ for the norm of all its components."""
    found = [symbol for symbol in expression.free_symbols if symbol.name.partition("_")[0] == "omega"]
    own = {symbol: symbol.func(f"ω{symbol.name[5:]}", **symbol.assumptions0) for symbol in found}
    norm, squares = sympy.Symbol("‖ω‖", nonnegative=True) ** 2, [symbol**2 for symbol in own.values()]

    def joined(total: Any) -> Any:
        shares = {total.coeff(square) for square in squares}
        (share,) = shares if len(shares) == 1 else (0,)
        return total - share * sympy.Add(*squares) + share * norm

    def indexed(total: Any) -> Any:
        index = total.variables[0]
        return total if str(total.function) != f"ω[{index}]**2" else norm

    found = expression.xreplace(own).replace(sympy.Sum, lambda *parts: indexed(sympy.Sum(*parts)))
    return found.replace(lambda part: part.is_Add, joined) if len(squares) == dim > 1 else found


def _text(expression: Any) -> str:
    """As SymPy prints it, with ² for **2."""
    return with_superscripts(shown(expression))


def with_superscripts(text: str) -> str:
    """The text with ² for **2."""
    return re.sub(r"\*\*([2346])(?![\d.])", lambda found: _POWERS[found[1]], text)
