"""The options of a feature map, each declared once: name, type, default, range, help and errors.

Python signatures repeat names, types and defaults, and a test compares them with `MapOptions`. The command line is
generated from it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kernelspec.catalogue import SAMPLERS, Catalogue
from kernelspec.errors import PlanError
from kernelspec.laws.rules import DRAWS, SCHEMES
from kernelspec.limits import MAX_BITS, MAX_BUCKETS, MAX_FEATURES
from kernelspec.loading import suggest

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = [
    "ALSO_CALLED",
    "FORMS",
    "LANDMARK_METHODS",
    "METHODS",
    "OPTIONS",
    "ROUNDING",
    "VERIFIED",
    "Budget",
    "Draws",
    "Keys",
    "Landmarks",
    "MapOptions",
    "Method",
    "OneOf",
    "Option",
    "Positive",
    "Storage",
    "Whole",
    "are_biased",
    "check_coverage",
    "columns_of_a_key",
    "kinds_of_draws",
    "whole_number",
]

Budget: TypeAlias = int | Literal["auto"]
"""The most nonzeros per row, or "auto" for as few as reach an error."""

Method: TypeAlias = str
"""One of METHODS: "auto", a form, a sampling scheme, or landmarks."""

Draws: TypeAlias = str
"""One of DRAW_NAMES: "auto", "independent", or a way to couple samples."""

Landmarks: TypeAlias = Literal["auto", "never"]
"""Whether a plan may keep rows of the data."""

Keys: TypeAlias = Literal["auto", "exact", "hashed", "bits"]
"""auto: categories in the data have their own columns, other keys are hashed; exact: every key in the data has a
column; hashed: all keys are hashed into buckets; bits: the lowest bits of a key are its column.
"""

Storage: TypeAlias = Literal["auto", "dense", "sparse"]
"""dense: an array; sparse: CSR; auto: CSR if samples have keys, else an array."""

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")
"""How a complex amplitude becomes columns."""

LANDMARK_METHODS: tuple[str, ...] = ("landmarks", "nystrom")
"""Landmarks corrected by samples, unbiased; and landmarks alone, biased."""

METHODS: tuple[str, ...] = ("auto", *FORMS, *sorted(SCHEMES), *LANDMARK_METHODS)

DRAW_NAMES: tuple[str, ...] = ("auto", "independent", *DRAWS)

STORAGES: tuple[Storage, ...] = ("auto", "dense", "sparse")


ROUNDING = 4e-8
"""Relative errors of a kernel matrix below this may be rounding, and are neither predicted nor measured.

Only a plan that names the rule by which it is exact has the predicted error 0.
"""


def are_biased(draws: str | None) -> bool:
    """Whether samples of these draws are biased; such draws are only used if named."""
    return draws is not None and draws in DRAWS and DRAWS[draws].bias is not None


def kinds_of_draws(draws: Draws, *, has_data: bool) -> tuple[str, ...]:
    """The kinds of draws to compare with independent ones; none for "auto" without data, where measuring does not pay
    off.

    Biased ones are only used if named.
    """
    if draws == "auto":
        return tuple(name for name in DRAWS if not are_biased(name)) if has_data else ()
    return () if draws == "independent" else (draws,)


def columns_of_a_key(buckets: int | None, bits: int | None) -> int:
    """The columns of a hashed key, or of one whose bits are its column; 1 if unknown beforehand."""
    return buckets or (1 if bits is None else 1 << bits)


def check_coverage(coverage: Any) -> None:
    """Raise PlanError for an invalid coverage of an interval."""
    if not isinstance(coverage, Real) or not 0 < float(coverage) < 1:
        raise PlanError(f"coverage must be between 0 and 1, not {coverage!r:.60}")


@dataclass(frozen=True)
class OneOf:
    """A name from a list."""

    names: tuple[str, ...]
    others: Catalogue | None = None
    """More names, which plug-ins may add to."""

    def read(self, value: Any) -> Any:
        """The value. Raises ValueError with the accepted values."""
        names = (*self.names, *(self.others or ()))
        if isinstance(value, str) and (value in names or (self.others is not None and self.others.knows(value))):
            return str(value)
        near = suggest(value, names) if isinstance(value, str) else ""
        raise ValueError(f"must be one of {', '.join(map(repr, names))}, not {value!r:.60}{near}")

    def parse(self, text: str) -> Any:
        """Parse a command-line value."""
        return self.read(text)


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds, or a special word."""

    low: int
    high: int | None = None
    word: str = ""

    def read(self, value: Any) -> Any:
        """The number as an int, or the word. Raises ValueError with the accepted values."""
        if self.word and isinstance(value, str) and value == self.word:
            return self.word
        try:
            number = index(value)
        except TypeError:
            word = f" or {self.word!r}" if self.word and isinstance(value, str) else ""
            raise ValueError(f"must be a whole number{word}, not {value!r:.60}") from None
        if number < self.low:
            raise ValueError(f"must be at least {self.low}, not {number}")
        if self.high is not None and number > self.high:
            raise ValueError(f"must be at most {self.high:,}, not {number:,}")
        return number

    def parse(self, text: str) -> Any:
        """Parse a command-line value."""
        try:
            number: int | str = int(text)
        except ValueError:
            number = text
        return self.read(number)


@dataclass(frozen=True)
class Positive:
    """A number greater than 0 and less than a bound."""

    below: float = math.inf

    def read(self, value: Any) -> Any:
        """The number as a float. Raises ValueError with the accepted values."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"must be a number, not {value!r:.60}") from None
        if not 0 < number < self.below:
            wanted = "be positive and finite" if self.below == math.inf else f"lie between 0 and {self.below:g}"
            raise ValueError(f"must {wanted}, not {value!s}")
        return number

    def parse(self, text: str) -> Any:
        """Parse a command-line value."""
        return self.read(text)


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The argument `name` as an int. Raises PlanError unless it is whole and within bounds."""
    try:
        return int(Whole(least, most).read(value))
    except ValueError as error:
        raise PlanError(f"{name} {error}") from None


@dataclass(frozen=True)
class Option:
    """What an option accepts, and its help."""

    accepts: OneOf | Whole | Positive
    help: str
    metavar: str | None = None
    is_optional: bool = False
    """Whether None is accepted although it is not the default."""
    needs: tuple[str, tuple[Any, ...]] | None = None
    """Another option, and the values it must have for this one to have an effect; () means any value but None."""
    also: tuple[str, ...] = ()
    """Names in other libraries."""


def _option(default: Any, accepts: OneOf | Whole | Positive, help: str, metavar: str = "", **stated: Any) -> Any:
    return field(default=default, metadata={"option": Option(accepts, help, metavar or None, **stated)})


_BUDGETS = ("n_components", "components", "features", "num_samples", "n_samples", "size", "budget", "D")
_ERRORS = ("tol", "tolerance", "eps", "epsilon", "accuracy", "precision")


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """The options of a feature map, always valid. Raises PlanError for an invalid value, or one without effect."""

    n_features: Budget = _option(1024, Whole(1, MAX_FEATURES, "auto"), "Maximum nonzeros per row.", "N", also=_BUDGETS)
    error: float | None = _option(
        None, Positive(), "Use the fewest features with this relative error on DATA.", "E", also=_ERRORS
    )
    pointwise: float | None = _option(None, Positive(), "Use the fewest features with this error at each pair.", "E")
    confidence: float = _option(
        0.99, Positive(1), "Probability of the --pointwise error.", "P", needs=("pointwise", ()), also=("level",)
    )
    seed: int | None = _option(0, Whole(0), "Random seed.", "N", is_optional=True, also=("random_state", "rng"))
    method: Method = _option(
        "auto", OneOf(METHODS, SAMPLERS), f"{', '.join(METHODS)}.", "NAME", also=("sampler", "algorithm")
    )
    draws: Draws = _option(
        "auto",
        OneOf(DRAW_NAMES),
        f"How samples are coupled: {', '.join(DRAW_NAMES)}.",
        "NAME",
        also=("qmc", "sampling"),
    )
    landmarks: Landmarks = _option(
        "auto",
        OneOf(("auto", "never")),
        "Whether the map may keep rows of the data.",
        also=("anchors", "inducing", "inducing_points", "nystroem"),
    )
    keys: Keys = _option(
        "auto",
        OneOf(("auto", "exact", "hashed", "bits")),
        "auto: a column per category in DATA, other keys hashed; exact: a column per key in DATA.",
        also=("encoding", "hashing"),
    )
    buckets: int = _option(
        256,
        Whole(2, MAX_BUCKETS),
        "Columns per sample, for hashed keys.",
        "N",
        needs=("keys", ("auto", "hashed")),
        also=("n_buckets", "n_bins", "bins"),
    )
    bits: int = _option(
        8, Whole(1, MAX_BITS), "With --keys bits: 2^B columns per sample.", "B", needs=("keys", ("bits",)), also=("b",)
    )
    storage: Storage = _option(
        "auto",
        OneOf(STORAGES),
        "An array or CSR; auto: CSR if the kernel compares keys.",
        also=("format", "sparse", "sparse_output", "dense"),
    )

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if value is None and (option.is_optional or DEFAULTS[name] is None):
                continue
            try:
                object.__setattr__(self, name, option.accepts.read(value))
            except ValueError as error:
                raise PlanError(f"{name} {error}") from None
        self.check_effect([name for name, default in DEFAULTS.items() if getattr(self, name) != default])

    @classmethod
    def of(cls, estimator: object, *, seed: int) -> MapOptions:
        """The attributes of an estimator, and a seed. Raises PlanError."""
        return cls(seed=seed, **{name: getattr(estimator, name) for name in OPTIONS if name != "seed"})

    def check_effect(self, given: Collection[str]) -> None:
        """Raise PlanError for a given option that has no effect with the values of the others."""
        for name in given:
            other, values = OPTIONS[name].needs or ("", ())
            if not other or (getattr(self, other) in values if values else getattr(self, other) is not None):
                continue
            add = f"{other}={' or '.join(map(repr, values))}" if values else f"{other}="
            raise PlanError(f"{name}={getattr(self, name)!r} has no effect without {add}")

    def check_draws(self, *, has_data: bool) -> None:
        """Raise PlanError if method, draws and landmarks contradict each other, or without rows."""
        method, draws = self.method, self.draws
        if method in LANDMARK_METHODS and self.landmarks == "never":
            raise PlanError(f"method={method!r} keeps rows of the data, which landmarks='never' forbids")
        if method in LANDMARK_METHODS and not has_data:
            shown = "set data= (on the command line DATA or --plan-on)"
            raise PlanError(f"method={method!r} chooses rows of the data: {shown}")
        if method == "landmarks" and are_biased(draws):
            raise PlanError(f"method='landmarks' needs unbiased samples, but those of draws={draws!r} are biased")
        if method == "nystrom" and draws not in ("auto", "independent"):
            raise PlanError(f"method='nystrom' draws no samples, so draws={draws!r} has no effect")

    @property
    def hashed_into(self) -> int | None:
        """The number of columns of a hashed key; None if keys are not hashed."""
        return self.buckets if self.keys in ("auto", "hashed") else None

    @property
    def lowest_bits(self) -> int | None:
        """The bits of a key that select its column, if they do."""
        return self.bits if self.keys == "bits" else None


OPTIONS: Mapping[str, Option] = {one.name: one.metadata["option"] for one in fields(MapOptions)}
"""Every option by name, in display order."""

DEFAULTS: Mapping[str, Any] = {one.name: one.default for one in fields(MapOptions)}

VERIFIED = MapOptions(n_features=256)
"""The defaults of `ks.verify`."""

ALSO_CALLED: Mapping[str, tuple[str, ...]] = {name: option.also for name, option in OPTIONS.items()}
"""Names of the options in other libraries."""
