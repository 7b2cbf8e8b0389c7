"""Observation noise in a spec: a term v*noise() of its sum."""

from __future__ import annotations

from dataclasses import replace

from kernelspec.elaboration.scope import Columns
from kernelspec.errors import SpecError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.comparisons import Noise
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.language.nodes import Expression
from kernelspec.language.nodes import Sum as SumOfTerms
from kernelspec.spec import Spec

__all__ = ["without_noise"]


def without_noise(spec: Spec, columns: Columns) -> tuple[Spec, float | None]:
    """The spec less its terms v*noise() without a selection, and the variance v; None if there is no such term.

    Raises SpecError if nothing else is left, or v is negative.
    """
    body = spec.program.body
    terms = body.terms if isinstance(body, SumOfTerms) else (body,)
    signs = ("+", *body.operators) if isinstance(body, SumOfTerms) else ("+",)
    kept: list[tuple[str, Expression]] = []
    variance: float | None = None
    for sign, term in zip(signs, terms, strict=True):
        own = _noise_of(replace(spec, program=replace(spec.program, body=term)).kernel(columns))
        if own is None:
            kept.append((sign, term))
        else:
            variance = (variance or 0.0) + (own if sign == "+" else -own)
    if variance is None:
        return spec, None
    if variance < 0:
        raise SpecError(f"the variance of the observation noise is {variance:g}: it must be at least 0")
    if not kept:
        raise SpecError("the spec is noise() alone: add the kernel of what is to be predicted")
    if kept[0][0] == "-":
        raise SpecError("put a term with a positive weight first, then the terms that are subtracted")
    first = kept[0][1]
    rest = kept[1:]
    if not rest:
        return replace(spec, program=replace(spec.program, body=first)), variance
    left = SumOfTerms((first, *(term for _, term in rest)), tuple(sign for sign, _ in rest), span=body.span)
    return replace(spec, program=replace(spec.program, body=left)), variance


def _noise_of(kernel: Kernel) -> float | None:
    """v of v*noise(), else None."""
    if isinstance(kernel, Noise):
        return 1.0
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        own = _noise_of(kernel.terms[0])
        return None if own is None else own * float(kernel.weights[0])
    return None
