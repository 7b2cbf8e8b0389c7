"""The skeletons among the parts of a kernel, and what they are as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.analysis.variances.dual_nodes import number
from kernelspec.kernels.nodes.skeleton import Skeleton

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.kernels.nodes.skeleton_layer import Layer

__all__ = ["skeleton_to_dict", "skeletons_in"]

_FIRST = 4


def skeletons_in(kernel: Kernel) -> tuple[Skeleton, ...]:
    """Every skeleton once, from left to right as the kernel is written."""
    return tuple(dict.fromkeys(part for part in kernel.parts() if isinstance(part, Skeleton)))


def skeleton_to_dict(skeleton: Skeleton) -> dict[str, Any]:
    """A skeleton as JSON data: its image, its layers with the first probabilities of degrees, and its samples."""
    image = skeleton.image
    return {
        "image": [image.height, image.width, image.channels],
        "base": str(image.base),
        "depth": skeleton.depth,
        "complexity": number(float(skeleton.complexity)),
        "constant_share": skeleton.sparsity,
        "layers": [_layer_to_dict(layer) for layer in skeleton.layers],
    }


def _layer_to_dict(layer: Layer) -> dict[str, Any]:
    return {
        "layer": str(layer),
        "below": list(layer.below),
        "shape": list(layer.windows.shape),
        "probabilities": layer.activation.law(np.arange(_FIRST)).tolist(),
        "mean_degree": number(layer.activation.mean_degree()),
    }
