"""Hypothesis strategies for specs that mean something: every one parses, compiles and has a Gram matrix.

Import this package only where Hypothesis is installed; nothing else in kernelspec needs it.
"""

from kernelspec.testing.strategies.cases import Case, cases
from kernelspec.testing.strategies.compositional import grids, layers, rows_of
from kernelspec.testing.strategies.leaves import LEAVES
from kernelspec.testing.strategies.specs import kernels, specs
from kernelspec.testing.strategies.tables import tables

__all__ = ["LEAVES", "Case", "cases", "grids", "kernels", "layers", "rows_of", "specs", "tables"]
