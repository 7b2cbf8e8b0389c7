"""What Numba asks of SciPy when it starts, without all that SciPy would import beside it."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

__all__ = ["import_blas_alone"]

_MODULE = "scipy.linalg.cython_blas"


def import_blas_alone() -> None:
    """Import `scipy.linalg.cython_blas`, one compiled module, in front of its package.

    The first compiled function of a process asks whether it is there, and with it comes the whole of `scipy.linalg`:
    most of what that imports (`numpy.f2py`, `unittest`) nobody here uses, and it takes an eighth of a second. Other
    imports of the package, before or after, are as usual. For the command line alone: a library leaves alone what the
    program that uses it imports.
    """
    if _MODULE in sys.modules or "scipy.linalg" in sys.modules:
        return
    try:
        import scipy

        spec = PathFinder.find_spec(_MODULE, [str(Path(scipy.__file__).parent / "linalg")])
        if spec is None or spec.loader is None:
            return
        module = sys.modules[_MODULE] = module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:  # another SciPy, whose parts need each other: Numba imports it in its own way
        sys.modules.pop(_MODULE, None)
