"""A spec on a set of columns, read in symbols and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.symbolic_pairs import SymbolicPairs

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["Reading"]


@dataclass(frozen=True)
class Reading:
    """The kernel trees and spectral measures that one spec means on one set of columns, each built when needed."""

    spec: ValuedProgram
    columns: Columns

    @cached_property
    def _symbolic(self) -> Kernel:
        """The kernel in SymPy expressions; free parameters and an unknown number of columns are symbols."""
        return self.spec.symbolic_kernel(self.columns)

    @cached_property
    def _symbolic_measure(self) -> Measure:
        """Raises NotStationaryError."""
        return measure_of(self._symbolic)

    @cached_property
    def _numeric(self) -> Kernel:
        """The kernel in numbers. Raises ParameterError for free parameters, DimensionError for a free d."""
        return self.spec.kernel(self.columns)

    @cached_property
    def _measure(self) -> Measure:
        """The spectral measure in numbers. Raises NotStationaryError."""
        return measure_of(self._numeric)

    @property
    def _pairs(self) -> SymbolicPairs:
        """One row x and one row y in symbols."""
        return SymbolicPairs.between(self._symbolic.dim, self.columns.names)

    @property
    def _frequency(self) -> SymbolicPairs:
        """One frequency ω in symbols."""
        return SymbolicPairs.frequency(self._symbolic.dim, self.columns.names)
