"""A form that the language has and this version cannot analyse: it parses, and says so when asked anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from kernelspec.errors import NotAvailableYet
from kernelspec.kernels.kernel import Kernel

if TYPE_CHECKING:
    from kernelspec.notation.pairs import Pairs

__all__ = ["Unavailable"]


@dataclass(frozen=True, kw_only=True)
class Unavailable(Kernel):
    """Stands for `form` while a spec is checked; every question raises NotAvailableYet with its span."""

    form: str

    def _refuse(self) -> NoReturn:
        raise NotAvailableYet(f"{self.form}() is in the language, but not available yet in this version", self.span)

    def value(self, pairs: Pairs) -> NoReturn:
        self._refuse()

    def diagonal(self) -> float:
        return 1.0

    def magnitude(self) -> float:
        return 1.0

    def verdict(self) -> NoReturn:
        self._refuse()

    @property
    def is_stationary(self) -> bool:
        return False

    def measure(self) -> NoReturn:
        self._refuse()
