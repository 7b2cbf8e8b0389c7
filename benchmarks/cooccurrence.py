"""Which pixels of an image occur together in the features of a skeleton: skeleton_figures.py draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError, TypeMismatchError
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream

if TYPE_CHECKING:
    from kernelspec.kernels.nodes.skeleton import Image
    from kernelspec.samples.samples import Samples
    from kernelspec.spec import Spec

__all__ = ["Cooccurrence", "cooccurrence", "skeleton_of"]

_TOGETHER = 2**14
"""Features drawn at a time: only their counts are kept."""


@dataclass(frozen=True)
class Cooccurrence:
    """How many of n features use a pixel and also each other one.

    `used` (height, width) counts the features that use a pixel, `together` (height, width) those of them that use
    `pixel` (row, column) too. A feature uses a pixel if its frequency is not zero in one of the channels.
    """

    pixel: tuple[int, int]
    n_features: int
    used: NDArray[np.int64]
    together: NDArray[np.int64]

    @property
    def conditional(self) -> NDArray[np.float64]:
        """P(a feature uses p | it uses the pixel), (height, width). Raises PlanError if none uses the pixel."""
        here = int(self.used[self.pixel])
        if not here:
            row, column = self.pixel
            raise PlanError(f"none of {self.n_features:,} features uses the pixel {row},{column}: draw more")
        return np.asarray(self.together / here, dtype=np.float64)


def cooccurrence(
    spec: Spec, pixels: Sequence[tuple[int, int]] | None = None, n_features: int = 20_000, seed: int = 0
) -> list[Cooccurrence]:
    """The counts for each of the pixels (row, column), the centre if none are given, over the same features.

    The features are drawn block by block, so that a million of them need no more memory than some thousands.
    Raises what `skeleton_of` raises, and PlanError for a base kernel without frequencies, such as binary(), for a pixel
    outside the image, or for no features. Reference: Daniely, Frostig, Gupta and Singer 2017, Figure 4.
    """
    skeleton = skeleton_of(spec)
    image = skeleton.image
    chosen = [(image.height // 2, image.width // 2)] if pixels is None else list(pixels)
    for row, column in chosen:
        if not (0 <= row < image.height and 0 <= column < image.width):
            raise PlanError(f"there is no pixel {row},{column} in an image of {image.height} × {image.width} pixels")
    if n_features < 1:
        raise PlanError(f"there must be at least one feature, not {n_features}")
    law = law_of(skeleton)
    if law_of(image.base).fourier_kernel() is None:
        raise PlanError(
            f"which columns a feature uses is read from its frequencies, and {image.base} has none: take a base such "
            "as circle() or gaussian()"
        )
    places = np.array([row * image.width + column for row, column in chosen], dtype=np.intp)
    used = np.zeros(image.height * image.width, dtype=np.int64)
    together = np.zeros((len(places), len(used)), dtype=np.int64)
    for block, first in enumerate(range(0, n_features, _TOGETHER)):
        drawn = law.draw(Stream(seed).child(block), min(_TOGETHER, n_features - first), tuple(range(image.n_nodes)))
        for batch in drawn:
            _count(batch, image, places, used, together)
    shape = (image.height, image.width)
    return [
        Cooccurrence(pixel, n_features, used.reshape(shape), counts.reshape(shape))
        for pixel, counts in zip(chosen, together, strict=True)
    ]


def skeleton_of(spec: Spec) -> Skeleton:
    """The skeleton that a spec is, on as many columns as its image has.

    Raises TypeMismatchError for any other kernel, ParameterError for a parameter without value.
    """
    kernel = spec.provisional_kernel()
    # where a size of the image has no value, one column is enough to say which parameter that is
    dim = kernel.image.n_nodes if isinstance(kernel, Skeleton) else 1
    kernel = spec.kernel(spec.columns(dim)) if isinstance(kernel, Skeleton) or _is_open(spec) else kernel
    if not isinstance(kernel, Skeleton):
        raise TypeMismatchError(
            "pixels that occur together are those of a skeleton over an image, as in full(relu, input=image(8, 8, 1)): "
            "this is another kernel",
            spec.program.body.span,
        )
    return kernel


def _is_open(spec: Spec) -> bool:
    return any(value is None for value in spec.params.values())


def _count(
    batch: Samples,
    image: Image,
    places: NDArray[np.intp],
    used: NDArray[np.int64],
    together: NDArray[np.int64],
) -> None:
    """Add one batch to the counts; a batch of constants uses no pixel."""
    from scipy.sparse import csr_array

    if batch.phasors is None:
        return
    frequencies = csr_array(batch.phasors.frequencies)
    columns = np.array(batch.phasors.columns, dtype=np.intp)
    at = columns[frequencies.indices] // image.channels
    uses = csr_array((np.ones(len(at), dtype=np.int64), at, frequencies.indptr), shape=(len(batch), len(used)))
    uses.sum_duplicates()  # several channels of one pixel
    uses.data[:] = 1
    used += np.bincount(uses.indices, minlength=len(used))
    by_pixel = uses.tocsc()
    for i, place in enumerate(places):
        features = by_pixel.indices[by_pixel.indptr[place] : by_pixel.indptr[place + 1]]
        together[i] += np.bincount(uses[features].indices, minlength=len(used))
