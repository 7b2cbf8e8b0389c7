"""Masses of signed and complex measures by numerical integration, with a bound or a standard error."""

from __future__ import annotations

from math import log2, pi

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.envelope import envelope
from kernelspec.measures.marginals import is_radial
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.random.streams import Stream
from kernelspec.special.counted_work import counted_work
from kernelspec.spectrum.masses import Masses
from kernelspec.spectrum.radial_integrals import radial_integrals

__all__ = ["affordable_ratio", "integrate_masses", "sampled_ratio"]

_DRAWS, _FEWEST_DRAWS, _PROBES = 2**16, 2**8, 2**2

_WORK = 1500.0
"""Millions of operations for all draws, about a second and a half; 23,000 for each, as few densities take."""

_LARGEST = 1e300
"""Of a density: what weights and a few parts make of it is a float."""

_TERMS = 20_000

_POOR = 1e-4
"""An integral with a larger relative error than this is given to random draws instead."""

_REFUSED = 1e-2
"""Where every draw is an integral there are no draws, and this is the largest relative error that is reported."""


def integrate_masses(measure: Measure, k0: float) -> Masses:
    """The masses of μ with ∫ dμ = k(0), `measure` in numbers.

    Sums over atoms; the Fourier series of |cos| and |sin| for a translated positive measure (r·ω has the characteristic
    function k(tr)); an integral over one variable on the line and for radial measures; else the mean over 2¹⁶ draws of
    the envelope, or fewer where these are too much work, with its standard error. Raises NotAvailableYet where the
    density cannot be evaluated.
    """
    while isinstance(measure, Embedding) or (isinstance(measure, PushForward) and not measure.is_matrix):
        measure = measure.part
    if isinstance(measure, Mixture) and len(measure.parts) == 1 and (weight := float(measure.weights[0])):
        scaled = integrate_masses(measure.parts[0], k0 / weight).scaled(weight)
        assert scaled is not None  # the sign of a float is known
        return scaled
    atoms = measure.atoms()
    if atoms is not None:
        weights = atoms.weights
        sizes = (np.abs(weights.real).sum(), np.abs(weights.imag).sum(), np.abs(weights).sum())
        return _masses(k0, *sizes, error=abs(atoms.omitted))
    if isinstance(measure, Shifted) and not measure.part.is_complex and envelope(measure.part) == measure.part:
        return _translated(measure, k0)
    try:
        if measure.without_density() is None and (measure.dim == 1 or (is_radial(measure) and not measure.is_complex)):
            found = radial_integrals(measure)
            if found.error <= (_REFUSED if is_inverted(measure) else _POOR) * found.modulus:
                sizes = (found.absolute_real, found.absolute_imaginary, found.modulus)
                # ∫ Re μ is k(0): what was found for it is a second judge of the error
                return _masses(k0, *sizes, error=max(found.error, abs(found.real - k0)))
        return _random(measure, k0)
    except NoDensityError as error:
        raise NotAvailableYet(f"the masses of this measure need its density: {error}") from None


def sampled_ratio(measure: Measure, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n draws of the envelope, (n, d), and μ(ω)/envelope(ω) times the envelope's mass, (n,): its mean is k(0).

    Raises NoDensityError where the envelope's is too small for floats.
    """
    outer = envelope(measure)
    frequencies = outer.sample(Stream(0), n)
    mass = float(outer.total_mass())
    if isinstance(measure, Shifted) and outer == measure.part:
        return frequencies, mass * measure.phases(frequencies)
    if isinstance(measure, Mixture) and isinstance(outer, Mixture):
        parts: dict[Measure, np.ndarray] = {}  # those of both once
        for part in (*outer.parts, *measure.parts):
            if part not in parts:
                parts[part] = _bounded(_density(part, frequencies, parts))
        density, dominating = (
            np.array(own.weights, dtype=float) @ np.array([parts[part] for part in own.parts])
            for own in (measure, outer)
        )
    else:
        density, dominating = _bounded(measure.density(frequencies)), _bounded(outer.density(frequencies))
    if not dominating.all():
        raise NoDensityError("it is too small for floats where its frequencies are")
    return frequencies, mass * (density / dominating)


def _density(part: Measure, frequencies: np.ndarray, known: dict[Measure, np.ndarray]) -> np.ndarray:
    """The density of a part; by a phase where it is a translation of what is known, whose values may take long."""
    if isinstance(part, Shifted) and part.part in known:
        return np.asarray(known[part.part] * part.phases(frequencies))
    return part.density(frequencies)


def _bounded(density: np.ndarray) -> np.ndarray:
    """A number in place of ∞, which a density has where it has a pole: beside it the others count for nothing."""
    return np.where(np.isinf(density), _LARGEST, density)


def _masses(k0: float, real: float, imaginary: float, whole: float, *, error: float, is_random: bool = False) -> Masses:
    """From ∫|Re μ|, ∫|Im μ|, ∫|μ|, and what is known: ∫ Re μ = k(0), ∫ Im μ = 0."""
    real, half = max(float(real), abs(k0)), float(imaginary) / 2
    whole = max(float(whole), real)
    return Masses((real + k0) / 2, (real - k0) / 2, half, half, whole, float(error), is_random)


def _translated(measure: Shifted, k0: float) -> Masses:
    """E|cos r·ω| = 2/π − (4/π) Σ (−1)^k k(2kr)/(4k² − 1), E|sin r·ω| the same without the sign."""
    k = np.arange(1, _TERMS + 1)
    transform = measure.part.characteristic_function(2 * k[:, None] * np.asarray(measure.by, dtype=float))
    terms = transform / (4 * k**2 - 1)
    size = float(measure.part.total_mass())
    real = 2 / pi * size - 4 / pi * float(np.sum(np.where(k % 2, -1, 1) * terms))
    imaginary = 2 / pi * size - 4 / pi * float(np.sum(terms))
    left_out = float(np.abs(transform[_TERMS // 2 :]).max()) / (pi * _TERMS)
    return _masses(k0, real, imaginary, size, error=left_out)


def _random(measure: Measure, k0: float) -> Masses:
    if measure.without_density() is not None and not isinstance(measure, Shifted):
        raise NoDensityError(str(measure.without_density()))
    if is_inverted(measure):
        raise NoDensityError("every value of it is an integral, and thousands would be needed")
    _, ratio = affordable_ratio(measure)
    sizes = [np.abs(ratio.real), np.abs(ratio.imag), np.abs(ratio)]
    scale = float(sizes[2].max()) or 1.0  # squares of what a tilt makes of it may overflow
    error = scale * max(float((size / scale).std()) for size in sizes) / np.sqrt(len(ratio))
    return _masses(k0, *(scale * float((size / scale).mean()) for size in sizes), error=error, is_random=True)


def affordable_ratio(measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """`sampled_ratio` of 2¹⁶ draws, or of fewer where values of the density are so much work that these are too much.

    The work is counted, so that the answer is the same on every machine. Raises NoDensityError where even the fewest
    are too much.
    """
    for n in (_PROBES, _FEWEST_DRAWS):
        with counted_work() as work:
            found = sampled_ratio(measure, n)
        affordable = n * _WORK / work.done if work.done else float(_DRAWS)
        if affordable < _FEWEST_DRAWS:
            raise NoDensityError("every value of it takes long, and hundreds would be needed")
    n = min(_DRAWS, 1 << int(log2(affordable)))
    return found if n == _FEWEST_DRAWS else sampled_ratio(measure, n)
