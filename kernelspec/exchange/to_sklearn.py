"""A spec as a kernel of scikit-learn's Gaussian processes, exact, with the gradient by its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.gaussian_process import kernels  # type: ignore[import-untyped, unused-ignore]

from kernelspec.elaboration.layout import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.hyperparameters import Bounds, Hyperparameter, free_program, hyperparameters_of
from kernelspec.exchange.tangents import Place, tangents
from kernelspec.exchange.tree_numbers import TreeNumbers, compile_numbers
from kernelspec.notation.pairs import NumericPairs
from kernelspec.spec import Spec, as_spec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.language.nodes import Program

__all__ = ["SpecKernel", "to_sklearn"]

_KEPT = 32
"""Compiled kernels: one for every spec and number of columns."""


def to_sklearn(
    spec: Spec | str, *, columns: Sequence[str] | None = None, bounds: Mapping[str, Bounds] | None = None
) -> SpecKernel:
    """A kernel of `sklearn.gaussian_process.kernels` that computes the spec, for `GaussianProcessRegressor`.

    Every parameter with a value is a hyperparameter: θ is its logarithm where it is positive, as in scikit-learn, and
    else itself. `bounds` are (low, high) or "fixed", by name; otherwise those of its line, within 1e-5 and 1e5.
    `columns` names the columns of an array. The gradient is exact: SymPy's derivatives of the catalogue's kernels
    and of the numbers in the spec, compiled once, and the chain rule over the tree.

    Raises NoCounterpartError for an asymmetric kernel, and, when the gradient is asked for, for a parameter that
    reaches a kernel whose derivatives are not known; ParameterError, SpecError.
    """
    made = SpecKernel(as_spec(spec), columns=columns, limits=bounds)
    hyperparameters_of(made.spec, made.limits or {})
    if made.spec.provisional_kernel().verdict().symmetric is False:
        raise NoCounterpartError("the kernel is not symmetric, and scikit-learn's kernels are")
    return made


class SpecKernel(kernels.Kernel):  # type: ignore[misc, unused-ignore]
    """The kernel of a spec, made by `to_sklearn`, which says what its arguments are (`limits` are the bounds)."""

    def __init__(
        self, spec: Spec, *, columns: Sequence[str] | None = None, limits: Mapping[str, Bounds] | None = None
    ) -> None:
        self.spec = spec
        self.columns = columns
        self.limits = limits

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """k(X, Y), (n, m); with `eval_gradient` also its derivatives by θ, (n, n, p), for Y that is not given.

        Raises DataError, SpecError, NoCounterpartError; ValueError for a gradient between two tables.
        """
        if not eval_gradient:
            return self.spec.gram(X, Y, columns=self.columns)
        if Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        return self._with_gradient(X)

    def diag(self, X: Any) -> NDArray[np.float64]:
        """k(x, x) for every row, (n,)."""
        table = self._table(X)
        kernel = self.spec.kernel(table)
        rows = layout_of(kernel, table).read(X)
        pairs = NumericPairs(rows, rows, grid=False)
        return np.broadcast_to(np.asarray(kernel.value(pairs), dtype=float), pairs.shape).copy()

    def is_stationary(self) -> bool:
        """Whether k is a function of x − y."""
        return self.spec.provisional_kernel().verdict().stationary is True

    @property
    def hyperparameters(self) -> list[kernels.Hyperparameter]:
        """The parameters of the spec that are not fixed, as scikit-learn describes them."""
        return [kernels.Hyperparameter(each.name, "numeric", each.bounds) for each in self._own()]

    @property
    def theta(self) -> NDArray[np.float64]:
        """The values of the hyperparameters, in the order of the spec: logarithms of those that are positive."""
        return np.array([each.coordinate for each in self._own()])

    @theta.setter
    def theta(self, theta: Any) -> None:
        own, given = self._own(), np.asarray(theta, dtype=float)
        if given.shape != (len(own),):
            raise ValueError(f"theta has the shape {given.shape}, and there are {len(own)} hyperparameters")
        self.spec = self.spec.with_params(
            {
                each.name: each.within(np.exp(value) if each.is_logarithmic else value)
                for each, value in zip(own, given.tolist(), strict=True)
            }
        )

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The bounds of θ, (p, 2)."""
        return np.array([each.coordinate_bounds for each in self._own()]).reshape(-1, 2)

    def __repr__(self) -> str:
        return f"SpecKernel({' '.join(str(self.spec).splitlines()[-1:])!r}, {self.spec.params})"

    def _own(self) -> list[Hyperparameter]:
        return hyperparameters_of(self.spec, self.limits or {})

    def _table(self, X: Any) -> Columns:
        return self.spec.columns(None if self.columns is not None else np.shape(X)[1], self.columns)

    def _with_gradient(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        own, table = self._own(), self._table(X)
        kernel, numbers = _compiled(free_program(self.spec, own), tuple(each.name for each in own), table)
        rows = layout_of(kernel, table).read(X)
        values = [each.value for each in own]
        place = Place(NumericPairs(rows, rows), (None,) * len(own), numbers(values))
        found, slopes = tangents(kernel, place)
        gradient = np.zeros((*found.shape, len(own)))
        for i, (each, slope) in enumerate(zip(own, slopes, strict=True)):
            if slope is not None:
                gradient[..., i] = slope * (each.value if each.is_logarithmic else 1.0)
        return np.array(found), gradient


@lru_cache(maxsize=_KEPT)
def _compiled(
    program: Program, names: tuple[str, ...], table: Columns
) -> tuple[Kernel, Callable[[Sequence[float]], TreeNumbers]]:
    """The kernel in symbols, and from values of the parameters to the numbers in it."""
    kernel = ValuedProgram(program).symbolic_kernel(table)
    return kernel, compile_numbers(kernel, names)
