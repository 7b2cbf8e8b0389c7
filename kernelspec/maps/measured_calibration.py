"""Times of this machine, measured once on maps of the package itself and kept in the user's cache."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kernelspec
from kernelspec.errors import KernelspecError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.minmax import MinMax
from kernelspec.maps.draw import draw_map
from kernelspec.planning.calibration import Calibration, PerColumn
from kernelspec.planning.planner import Planner
from kernelspec.planning.request import PlanRequest
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["calibration_file", "calibration_of_machine", "measure"]

_ROWS, _REPEATS = 2048, 3
_WIDTHS, _SIZES = (4, 32), (64, 256)


@cache
def calibration_of_machine() -> Calibration:
    """The calibration in the user's cache; where there is none for this version and machine, it is measured and kept.

    The folder is KERNELSPEC_CACHE_DIR, else that of the system. Where there is none, or it cannot be written to, every
    process measures.
    """
    path = None
    with suppress(RuntimeError):  # no home
        path = calibration_file()
    if path is None:
        return measure()
    with suppress(OSError, ValueError, TypeError, KeyError):
        return _restored(json.loads(path.read_text(encoding="utf-8")))
    found = measure()
    with suppress(OSError, KernelspecError):
        from kernelspec.files.atomic import write_bytes_atomically

        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomically(path, json.dumps(asdict(found)).encode())
    return found


def calibration_file() -> Path:
    """Where times are kept: one file for each version, kind of processor and number of processors.

    Raises RuntimeError where the system knows no home of the user, and nothing else says where.
    """
    machine = "".join(c if c.isalnum() else "-" for c in f"{platform.machine()}-{platform.processor()}")[:60]
    return _folder() / f"calibration-{kernelspec.__version__}-{machine}-{os.cpu_count()}.json"


def measure() -> Calibration:
    """Time maps of two sizes on two widths of every kind, and fit the models; a few seconds."""
    return Calibration(
        samples=_per_column(lambda p: Gaussian(dim=p), "paired"),
        keys=_per_column(lambda p: Laplace(dim=p), "binning"),
        passes=_passes(),
        **_of_anchors(),
    )


def _per_column(kernel: Any, method: str) -> PerColumn:
    """seconds = n (slope · p + once)."""
    found = [(n, p, _seconds(kernel(p), p, n, method)) for n in _SIZES for p in _WIDTHS]
    n, p, seconds = (np.array(own, dtype=float) for own in zip(*found, strict=True))
    slope, once = _fitted([n * p, n], seconds)
    return PerColumn(slope, once)


def _passes() -> float:
    """Seconds for a unit of work of min-max keys."""
    from kernelspec.laws.gcws import GcwsLaw

    found = [(n, p, _seconds(MinMax(dim=p), p, n, "gcws")) for n in _SIZES for p in _WIDTHS]
    work = np.array([GcwsLaw(MinMax(dim=p)).work(n, p) for n, p, _ in found])
    return float(_fitted([work], np.array([seconds for *_, seconds in found]))[0])


def _of_anchors() -> dict[str, Any]:
    """seconds = m (slope · p + once) + product · m²."""
    found = [(m, p, _seconds(Gaussian(dim=p), p, m, "nystrom")) for m in (*_SIZES, 1024) for p in _WIDTHS]
    m, p, seconds = (np.array(own, dtype=float) for own in zip(*found, strict=True))
    slope, once, product = _fitted([m * p, m, m**2], seconds)
    return {"values": PerColumn(slope, once), "product": product}


def _seconds(kernel: Kernel, width: int, n: int, method: str) -> float:
    """A row's share of the shortest of several passes."""
    X = np.abs(np.random.default_rng(0).standard_normal((_ROWS, width)))
    every = tuple(range(width))
    request = PlanRequest(
        text="", values=(), kernel=kernel, layout=Layout(width, None, every, ()), seed=0, method=method,
        draws="independent", data=Rows(X) if method == "nystrom" else None,
    )  # fmt: skip
    fmap, times = draw_map(Planner.of(request).plan(n)), []
    fmap.left(X[:64])  # compiled, and its tables made
    for _ in range(_REPEATS):
        began = perf_counter()
        fmap.left(X)
        times.append(perf_counter() - began)
    return min(times) / _ROWS


def _fitted(terms: Sequence[NDArray[np.float64]], seconds: NDArray[np.float64]) -> list[float]:
    """Coefficients, not negative, of least squared relative error."""
    from scipy.optimize import nnls

    found, _ = nnls(np.stack(terms, axis=1) / seconds[:, None], np.ones(len(seconds)))
    return [float(own) for own in found]


def _restored(data: dict[str, Any]) -> Calibration:
    """Raises ValueError, TypeError or KeyError for anything else than what was written."""
    kinds = {name: PerColumn(**data[name]) for name in ("samples", "keys", "values")}
    found = Calibration(**kinds, passes=data["passes"], product=data["product"])
    numbers = [found.passes, found.product, *(own for kind in kinds.values() for own in (kind.slope, kind.once))]
    if not all(isinstance(own, float) and 0 <= own < math.inf for own in numbers):
        raise ValueError("these are no times")
    return found


def _folder() -> Path:
    given = os.environ.get("KERNELSPEC_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "kernelspec"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "kernelspec"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelspec"
