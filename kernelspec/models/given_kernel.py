"""A kernel as it is given to an estimator: a text or a Spec, perhaps with values for its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.valued_program import MEDIAN
from kernelspec.errors import KernelspecError, ParameterError, PlanError
from kernelspec.kernels.leaf import load_kernel
from kernelspec.language.nodes import Call
from kernelspec.spec import Spec, parse

if TYPE_CHECKING:
    from kernelspec.tables.column_types import Missing

__all__ = ["GivenKernel"]


@dataclass(frozen=True)
class GivenKernel:
    """What was given as `spec` and as `params`, right or wrong: it is looked at when it is asked for."""

    given: str | Spec
    params: Mapping[str, float | Literal["median"]] | None

    def spec(self) -> Spec:
        """The spec without the values given. Raises SpecError, or PlanError for what is no text and no Spec."""
        if isinstance(self.given, Spec):
            return self.given
        if isinstance(self.given, str):
            return parse(self.given)
        raise PlanError(f"spec must be the text of a kernel, or a Spec, not {self.given!r:.60}")

    def bound(self) -> Spec:
        """The spec with the values given, all of them numbers. Raises what `spec` raises, and ParameterError."""
        if self.params is not None and not isinstance(self.params, Mapping):
            raise ParameterError(f"params must be a mapping from names to numbers, not {self.params!r:.60}")
        return self.spec().with_params(self.params or {})

    def on(self, X: Any, names: Sequence[str] | None, text: Sequence[str | int], missing: Missing) -> Spec:
        """The spec with its values, "median" being that of the rows of X, whose columns `names` lists if it is given.

        Raises what `bound` raises, and DataError.
        """
        if not isinstance(self.params, Mapping) or MEDIAN not in self.params.values():
            return self.bound()
        return self.spec().with_params(self.params, data=X, columns=names, text=text, missing=missing)

    def values(self) -> dict[str, Any]:
        """The value of every parameter, None for one that has none; of a wrong spec, those that were given."""
        found: dict[str, Any] = {}
        with suppress(KernelspecError):  # a wrong spec is reported when it is bound, not by looking at it
            found |= self.spec().params
        return found | dict(self.params if isinstance(self.params, Mapping) else {})

    def with_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values given, with others added or replaced. Raises ParameterError for a parameter that is not there."""
        known = self.spec().params
        unknown = next((name for name in values if name not in known), None)
        if unknown is not None:
            raise ParameterError(f"Invalid parameter 'params__{unknown}': the spec has {list(known) or 'none'}")
        return {**(self.params or {}), **values}

    def compares_categories(self) -> bool:
        """Whether a kernel in it compares categories; a wrong spec does not."""
        try:
            program = self.spec().program
        except KernelspecError:
            return False
        called = (part.function for part in program.parts() if isinstance(part, Call) and part.function in KERNELS)
        return any(load_kernel(name).compares_categories for name in called)
