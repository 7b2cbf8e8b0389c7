"""Keys with random numbers of their own for every sample: what they do alike, whatever the key is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.kept_fields import KeptFields
from kernelspec.samples.samples import KeyFactor

__all__ = ["DrawnKey"]


@dataclass(frozen=True)
class DrawnKey(KeptFields, KeyFactor):
    """A key whose fields are arrays, with an entry for every sample, and options, the same for all of them.

    Subclasses say of what `kind` they are, what their fields are, and how the keys of rows follow.
    """

    kind: ClassVar[str]

    @property
    def n_samples(self) -> int:
        return len(next(iter(self._arrays().values())))

    @property
    def structure(self) -> Hashable:
        return (self.kind, *self._options().values())

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, **{name: array[index] for name, array in self._arrays().items()})

    def join(self, others: Sequence[Self]) -> Self:
        parts = [part._arrays() for part in (self, *others)]
        return replace(self, **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: value for name, value in self.__getstate__().items() if isinstance(value, np.ndarray)}

    def _options(self) -> dict[str, Any]:
        return {name: value for name, value in self.__getstate__().items() if not isinstance(value, np.ndarray)}
