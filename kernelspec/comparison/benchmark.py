"""How long features take: ours, another library's for the same work, and the limits of the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.interleaved import Spread, interleaved_seconds, spread_of
from kernelspec.comparison.limits import product_alone, writing_alone
from kernelspec.comparison.rivals import rival_of
from kernelspec.numerics.threads import processors

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["Benchmark", "Compared", "benchmark"]

_OURS, _FRESH, _PRODUCT, _WRITING = "features", "features in new memory", "the matrix product", "writing the features"
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "datasketch")


@dataclass(frozen=True)
class Compared:
    """Seconds of a piece of work on all rows, and what they are of the features' own, both over the rounds.

    For a rival the share is how many times as long it takes; for a limit, the fraction of it that is reached.
    """

    work: str
    seconds: Spread
    share: Spread | None = None

    def __str__(self) -> str:
        said = f"  {self.work}: {_time(self.seconds)}"
        if self.share is None:
            return said
        if self.work.startswith(("the", "writing")):
            low, median, high = (f"{100 * own:.3g}" for own in (self.share.low, self.share.median, self.share.high))
            return f"{said}, {median} % of our time [{low}, {high}]"
        return f"{said}, {self.share.median:.3g} times ours [{self.share.low:.3g}, {self.share.high:.3g}]"


@dataclass(frozen=True)
class Benchmark:
    """What was measured, on what, with what: medians over the rounds, and quartiles."""

    spec: str
    method: str
    shape: tuple[int, int]
    dtype: str
    n_columns: int
    sparse: bool
    rounds: int
    processors: int
    compared: tuple[Compared, ...]
    date: str
    versions: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON data; times in seconds."""
        return asdict(self)

    def __str__(self) -> str:
        n, d = self.shape
        kind = "sparse " if self.sparse else ""
        head = f"{self.method}: {n:,} rows × {d:,} {self.dtype} columns to {self.n_columns:,} {kind}columns"
        counted = f"{self.processors} processor{'s' if self.processors != 1 else ''}"
        return "\n".join([f"{head}, {counted}, medians of {self.rounds} rounds [quartiles]", *map(str, self.compared)])


def benchmark(fmap: FeatureMap, kernel: Kernel, X: NDArray[Any], rounds: int = 9) -> Benchmark:
    """Time the features of rows X (n, d), an array of floats, in turns with all they are compared with.

    Features go into memory that is used again and, apart from that, into new memory, as other libraries' do. The rival
    is `rival_of`, the limits are `product_alone` and `writing_alone`, and both together. What is compared is divided
    round by round. Raises ValueError for less than one round; what `transform` raises.
    """
    features, rival = fmap.transform(X, side="left"), rival_of(kernel, fmap, X)
    work: dict[str, Callable[[], object]] = {_OURS: lambda: fmap.transform(X, side="left")}
    if isinstance(features, np.ndarray):
        work = {_OURS: lambda: fmap.transform(X, features, side="left"), _FRESH: work[_OURS]}
    if rival is not None:
        work[rival.name] = rival.run
        if rival.own is not None:
            work["the same by our keys"] = rival.own
    product = product_alone(fmap, X)
    if product is not None:
        work[_PRODUCT] = product
    work[_WRITING] = writing_alone(features)
    seconds = interleaved_seconds(work, rounds)
    if rival is not None:
        seconds[rival.name] = seconds[rival.name] * (len(X) / rival.rows)
    return Benchmark(
        spec=fmap.plan.text,
        method=fmap.method,
        shape=(X.shape[0], X.shape[1]),
        dtype=X.dtype.name,
        n_columns=fmap.n_columns,
        sparse=fmap.is_sparse,
        rounds=rounds,
        processors=processors(),
        compared=_compared(seconds, None if rival is None else rival.name),
        date=date.today().isoformat(),
        versions=_versions(),
    )


def _compared(seconds: dict[str, NDArray[np.float64]], rival: str | None) -> tuple[Compared, ...]:
    ours = seconds[_OURS]
    keys = seconds.get("the same by our keys")
    found = [Compared(_OURS, spread_of(ours))]
    if _FRESH in seconds:
        found.append(Compared(_FRESH, spread_of(seconds[_FRESH]), spread_of(seconds[_FRESH] / ours)))
    if keys is not None:
        found.append(Compared("keys alone", spread_of(keys), spread_of(keys / ours)))
    if rival is not None:
        own = ours if keys is None else keys
        found.append(Compared(rival, spread_of(seconds[rival]), spread_of(seconds[rival] / own)))
    limits = [name for name in (_PRODUCT, _WRITING) if name in seconds]
    found += [Compared(f"{name} alone", spread_of(seconds[name]), spread_of(seconds[name] / ours)) for name in limits]
    if len(limits) > 1:
        both = seconds[_PRODUCT] + seconds[_WRITING]
        found.append(Compared("the two together", spread_of(both), spread_of(both / ours)))
    return tuple(found)


def _time(seconds: Spread) -> str:
    unit, name = next(
        (unit, name) for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")) if seconds.median >= unit or unit < 1e-5
    )
    median, low, high = (f"{own / unit:.3g}" for own in (seconds.median, seconds.low, seconds.high))
    return f"{median} {name} [{low}, {high}]"


def _versions() -> dict[str, str]:
    from kernelspec import __version__

    found = {"kernelspec": __version__, "python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
