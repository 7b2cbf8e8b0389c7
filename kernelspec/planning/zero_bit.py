"""Min-max keys without t*: shorter to store, biased upwards."""

from __future__ import annotations

from dataclasses import replace

from kernelspec.errors import PlanError
from kernelspec.laws.gcws import GcwsLaw
from kernelspec.laws.law import Law
from kernelspec.laws.poisson import PoissonLaw
from kernelspec.laws.replaced import replaced
from kernelspec.planning.strata import Stratum

__all__ = ["with_zero_bit"]


def with_zero_bit(strata: tuple[Stratum, ...], *, zero_bit: bool = True) -> tuple[Stratum, ...]:
    """The strata with keys i* instead of (i*, t*) for every minmax() in them, or with whole keys again.

    Raises PlanError if there is none.
    """

    def change(law: Law) -> Law | None:
        return replace(law, zero_bit=zero_bit) if isinstance(law, GcwsLaw | PoissonLaw) else None

    changed = tuple(replace(stratum, law=replaced(stratum.law, change)) for stratum in strata)
    if changed == strata:
        raise PlanError("zero_bit=True shortens the keys of minmax(), which this kernel does not have")
    return changed
