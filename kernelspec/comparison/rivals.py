"""What other libraries have for the same work: scikit-learn's samplers and datasketch, where they do the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.minmax import MinMax
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["Rival", "rival_of"]

_HASHED_ROWS = 200
_FITTED_ROWS = 2048


@dataclass(frozen=True)
class Rival:
    """Another library's way to the same result: what is run on `rows` of the rows, and what of ours is as much work.

    `own` is None where that is `transform`.
    """

    name: str
    rows: int
    run: Callable[[], object]
    own: Callable[[], object] | None = None


def rival_of(kernel: Kernel, fmap: FeatureMap, X: Any) -> Rival | None:
    """The rival of a map on some rows (n, d), fitted; None where no other library has the kernel and the method.

    For a Gaussian of all columns `RBFSampler` with as many numbers a row, or, where the map has anchors, `Nystroem`;
    for the min-max kernel the keys of datasketch's `WeightedMinHashGenerator.minhash_many`, if it is installed, on some
    of the rows, as it is slow.
    """
    if isinstance(kernel, MinMax) and fmap.has_keys and find_spec("datasketch") is not None:
        return _weighted_min_hash(fmap, X)
    gamma = _gamma(kernel)
    if gamma is None or fmap.is_sparse:
        return None
    from sklearn.kernel_approximation import Nystroem, RBFSampler

    if fmap.anchored is None:
        numbers = fmap.n_columns * (2 if fmap.plan.form == "complex" else 1)
        sampler = RBFSampler(gamma=gamma, n_components=numbers, random_state=0).fit(X)
        return Rival("scikit-learn's RBFSampler", len(X), lambda: sampler.transform(X))
    seen = X[:_FITTED_ROWS]
    projected = Nystroem(gamma=gamma, n_components=min(fmap.n_columns, len(seen)), random_state=0).fit(seen)
    return Rival("scikit-learn's Nystroem", len(X), lambda: projected.transform(X))


def _gamma(kernel: Kernel) -> float | None:
    """γ of exp(−γ‖Δ‖²) on all columns; None for any other kernel."""
    match kernel:
        case Gaussian():
            return 0.5 / float(kernel.scale) ** 2
        case Select() if kernel.positions == tuple(range(kernel.dim)):
            return _gamma(kernel.base)
        case Stretch() if not isinstance(kernel.matrix, tuple):
            inner = _gamma(kernel.base)
            return None if inner is None else inner * float(kernel.matrix) ** 2
        case _:
            return None


def _weighted_min_hash(fmap: FeatureMap, X: Any) -> Rival:
    from datasketch import WeightedMinHashGenerator
    from scipy.sparse import csr_matrix

    n = min(len(X), _HASHED_ROWS)
    parts = np.stack([np.maximum(X[:n], 0), np.maximum(-X[:n], 0)], axis=2).reshape(n, -1).astype(np.float32)
    generator, rows = WeightedMinHashGenerator(parts.shape[1], sum(fmap.plan.chosen.counts), 1), csr_matrix(parts)
    return Rival(
        f"datasketch's minhash_many, on {n} rows", n, lambda: generator.minhash_many(rows), lambda: fmap.keys(X)
    )
