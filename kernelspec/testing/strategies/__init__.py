"""Hypothesis strategies for specs that mean something: every one parses, compiles and has a Gram matrix.

Nothing else needs Hypothesis; without it, importing this package raises MissingPackageError, an ImportError.
"""

from kernelspec.loading import require_package

require_package("hypothesis", extra="testing", purpose="strategies for specs and tables")

from kernelspec.testing.strategies.cases import Case, cases  # noqa: E402
from kernelspec.testing.strategies.compositional import grids, layers, rows_of  # noqa: E402
from kernelspec.testing.strategies.ingredients import tables  # noqa: E402
from kernelspec.testing.strategies.specs import (  # noqa: E402
    LEAVES,
    kernels,
    specs,
)

__all__ = ["LEAVES", "Case", "cases", "grids", "kernels", "layers", "rows_of", "specs", "tables"]
