"""The bounds of the language: what is on the bound is read, what is one beyond is refused."""

from __future__ import annotations

import contextlib
import copy
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.cli import data as streaming
from kernelspec.elaboration import scope as counts
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import KernelspecError, PlanError, SpecSyntaxError
from kernelspec.language.parser import parse_program
from kernelspec.language.scanner import LANGUAGE_VERSION
from kernelspec.limits import (
    MAX_BITS,
    MAX_BUCKETS,
    MAX_COLUMNS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_EXPONENT,
    MAX_FEATURES,
    MAX_KERNELS,
    MAX_LEVELS,
    MAX_NAME,
    MAX_NESTING,
    MAX_SHAPE,
    MAX_TEXT,
    MAX_TOKENS,
)
from kernelspec.maps import draw
from kernelspec.planning.options import MapOptions
from kernelspec.tables.formats import open_table

BOUNDS: dict[str, tuple[int, Callable[[int], str], str]] = {
    "version": (LANGUAGE_VERSION, lambda n: f"#! kernelspec {n}\nk", "this release reads version 1"),
    "text": (MAX_TEXT, lambda n: "k" + " " * (n - 1), "at most 1,000,000 are allowed"),
    "tokens": (MAX_TOKENS, lambda n: "\n" * (n - 1) + "k", "more than 250,000 words and signs"),
    "nesting": (MAX_NESTING, lambda n: "(" * n + "k" + ")" * n, "brackets are nested more than 200 deep"),
    "depth": (MAX_DEPTH, lambda n: "f(" * (n - 1) + "k" + ")" * (n - 1), "nested more than 100 levels deep"),
    "digits": (MAX_DIGITS, lambda n: "0." + "7" * (n - 1), "this number has 101 digits; at most 100 are allowed"),
    "exponent": (MAX_EXPONENT, lambda n: f"1e{n}", "exponents of ten must lie between -308 and 308"),
    "negative exponent": (MAX_EXPONENT, lambda n: f"1e-{n}", "exponents of ten must lie between -308 and 308"),
    "name": (MAX_NAME, lambda n: "k" * n, "this name has 101 characters; at most 100 are allowed"),
    "column": (MAX_NAME, lambda n: f"k['{'ä ' * (n // 2)}{'!' * (n % 2)}']", "this name has 101 characters"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "text", "message"), BOUNDS.values(), ids=BOUNDS.keys())
def test_the_bound_is_allowed_and_one_more_is_not(bound: int, text: Callable[[int], str], message: str) -> None:
    assert parse_program(text(bound)).body is not None
    with pytest.raises(SpecSyntaxError) as caught:
        parse_program(text(bound + 1))
    assert message in caught.value.message
    assert caught.value.span is not None


COLUMNS = f"at most {MAX_COLUMNS:,}"
KERNELS = "more than 20,000 kernels, counting every use of a let"
WRITTEN = "more than 8,000,000 columns in selections and vectors together, counting every use of a let"
MILLION = "0:1000000"
COSINES = "+".join(f"product(t -> cos({i}*t))" for i in range(1, 21))
VECTOR = f"let v = [{', '.join(map(str, range(1, 1001)))}]\n"


def more(extra: int) -> str:
    """Terms of one selected column each."""
    return " + gaussian()[0]" * extra


SIZES: dict[str, tuple[Callable[[int], object], str]] = {
    "kernels": (
        lambda extra: ks.parse("+".join(["match()"] * (MAX_KERNELS + extra))),
        KERNELS,
    ),
    "kernels of formulas": (
        lambda extra: ks.parse("let k = product(t -> exp(-t))\n" + "+".join(["k"] * (MAX_KERNELS + extra))),
        KERNELS,
    ),
    "kernels of distances": (
        lambda extra: ks.parse("let k = radial(r -> exp(-r))\n" + "+".join(["k"] * (MAX_KERNELS + extra))),
        KERNELS,
    ),
    "skeletons": (
        lambda extra: ks.parse("let k = full(relu, input=image(1, 1, 1))\n" + "+".join(["k"] * (MAX_KERNELS + extra))),
        KERNELS,
    ),
    "grids of a mean": (  # 2 for each of 9,998 grids, 2 of m, 1 of full()
        lambda extra: ks.parse(
            f"let g = image(1, 1, 1)\nlet m = mean(g, g)\nfull(relu, input=mean(m{', g' * 9_997})) + match()"
            + " + match()" * extra
        ),
        KERNELS,
    ),
    "kernels of a formula": (
        lambda extra: ks.parse(COSINES + " + match()" * extra).kernel(Columns(1000)),
        KERNELS,
    ),
    "columns of slices": (
        lambda extra: ks.parse("+".join(f"gaussian({i})[{MILLION}]" for i in range(1, 9)) + more(extra)),
        WRITTEN,
    ),
    "columns of slices of slices": (
        lambda extra: ks.parse(f"gaussian(){f'[{MILLION}]' * 8}" + more(extra)),
        WRITTEN,
    ),
    "columns of a let": (
        lambda extra: ks.parse(f"let k = gaussian()[{MILLION}]\n" + " + ".join(["k"] * 8) + more(extra)),
        WRITTEN,
    ),
    "columns of slices of a table": (
        lambda extra: ks.parse("+".join(f"gaussian()[{i}:]" for i in range(4)) + f"+gaussian()[:{6 + extra}]").kernel(
            Columns(MAX_COLUMNS)
        ),
        WRITTEN,
    ),
    "entries of vectors": (
        lambda extra: ks.parse(
            f"cosine(by=1)[{MILLION}] + cosine(by=ones)[{MILLION}]" + f" + gaussian()[{MILLION}]" * 3 + more(extra)
        ),
        WRITTEN,
    ),
    "parts evaluated": (
        lambda extra: ks.parse(
            VECTOR + "+".join(["cosine(by=v)"] * 398) + "+gaussian()" * (202 + extra)  # 1002 + 398 * 1002 + 202
        ),
        "more than 400,000 parts to evaluate",
    ),
    "levels": (
        lambda extra: ks.parse(
            # the body, a name, and one level for each line: k1 to k118, and k0 itself
            "let k0 = gaussian()\n"
            + "".join(f"let k{i} = k{i - 1}\n" for i in range(1, MAX_LEVELS - 1 + extra))
            + f"k{MAX_LEVELS - 2 + extra}"
        ),
        "nested more than 120 levels deep, counting through lets",
    ),
    "columns of a selection": (lambda extra: ks.parse(f"gaussian()[0:{MAX_COLUMNS + extra}]"), COLUMNS),
    "columns of a table": (lambda extra: ks.parse("gaussian()").columns(MAX_COLUMNS + extra), COLUMNS),
    "shapes": (lambda extra: ks.parse(f"matern(nu={MAX_SHAPE + extra})"), "at most 1000, not 1001"),
    "scales": (lambda extra: ks.parse(f"gaussian(scale=1e{100 + extra})"), "lie between 1e-100 and 1e+100"),
    "weights": (lambda extra: ks.parse(f"1e-{100 + extra}*gaussian()"), "lie between 1e-100 and 1e+100"),
    "features": (
        lambda extra: ks.compile("linear()[0]", dim=1, n_features=MAX_FEATURES + extra, method="auto"),
        "n_features must be at most 10,000,000, not 10,000,001",
    ),
    "buckets": (
        lambda extra: MapOptions(keys="hashed", buckets=MAX_BUCKETS + extra),
        "buckets must be at most 2,147,483,648",
    ),
    "bits": (lambda extra: MapOptions(keys="bits", bits=MAX_BITS + extra), "bits must be at most 24, not 25"),
}


SECONDS = {
    "kernels",
    "parts evaluated",
    "kernels of a formula",
    "kernels of distances",
    "kernels of formulas",
    "skeletons",
    "columns of slices of slices",
    "columns of slices of a table",
    "entries of vectors",
}
"""Bounds that another text reaches in every run, of kernels and of columns, or that is lowered there, of parts."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "message"),
    [pytest.param(*size, id=name, marks=[pytest.mark.long] if name in SECONDS else []) for name, size in SIZES.items()],
)
def test_the_size_is_allowed_and_one_more_is_not(build: Callable[[int], object], message: str) -> None:
    assert build(0) is not None
    with pytest.raises(KernelspecError, match=re.escape(message)):
        build(1)


def test_every_number_is_a_float_that_is_neither_zero_nor_infinite() -> None:
    for exponent in (-MAX_EXPONENT, MAX_EXPONENT):
        value = parse_program(f"1e{exponent}").body.value  # type: ignore[attr-defined]
        assert float(value) == 10.0**exponent
        assert 0 < float(value) <= sys.float_info.max


@pytest.mark.long
def test_twenty_thousand_kernels_fit() -> None:
    assert len(parse_program(" + ".join(["0.25*f(s=1)"] * 20_000)).body.terms) == 20_000  # type: ignore[attr-defined]


def test_the_deepest_tree_leaves_most_of_the_recursion_to_the_caller() -> None:
    program = parse_program("f(a=" * 49 + "k" + ")" * 49)

    def below(frames: int) -> None:
        if frames:
            below(frames - 1)
            return
        assert pickle.loads(pickle.dumps(program)) == program == copy.copy(program)
        assert repr(program).count("Keyword(") == 49

    below(300)


def test_parts_of_a_let_are_counted_once_for_as_many_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of three kernels has four parts; those of a `let` count again on another number of columns."""
    monkeypatch.setattr(counts, "MAX_EVALUATIONS", 4)
    assert ks.parse("gaussian() + laplace() + cauchy()")
    with pytest.raises(KernelspecError, match="more than 4 parts to evaluate"):
        ks.parse("gaussian() + laplace() + cauchy() + match()")

    def parts(text: str) -> int:
        for bound in range(100):
            monkeypatch.setattr(counts, "MAX_EVALUATIONS", bound)
            with contextlib.suppress(KernelspecError):
                ks.parse("let k = gaussian() + laplace()\n" + text)
                return bound
        raise AssertionError("more than a hundred parts")

    # a sum, a selection, a name; and where the let is on another number of columns, its sum and two kernels
    assert parts("k[0] + k[1]") == parts("k[0]") + 3
    assert parts("k[0] + k[0:2]") == parts("k[0]") + 3 + 3


@pytest.mark.slow
def test_random_numbers_fit_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "MAX_MAP_BYTES", 8 * 4 * 6)
    assert ks.compile("gaussian()", dim=6, n_features=8, method="paired").n_columns == 8
    with pytest.raises(PlanError, match=r"10 features of 6 columns need.*TF-IDF with fewer terms\) or minmax\(\)"):
        ks.compile("gaussian()", dim=6, n_features=10, method="paired")
    structured = ks.compile("gaussian()", dim=64, n_features=10, method="paired", draws="hadamard")
    assert structured.n_columns == 10


@pytest.mark.parametrize(
    "text",
    ["gaussian()", "2*matern(nu=3/2)", "rbf_cosine()", "gaussian() + rbf_cosine()", "gaussian()[0:63]"],
)
def test_structured_frequencies_are_advised_only_where_they_help(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "MAX_MAP_BYTES", 8 * 2 * 62)
    with pytest.raises(PlanError, match="random numbers") as told:
        ks.compile(text, dim=64, n_features=32, method="paired")
    try:
        helps = ks.compile(text, dim=64, n_features=32, method="paired", draws="hadamard").n_columns == 32
    except PlanError:
        helps = False
    assert helps == (text in {"gaussian()", "2*matern(nu=3/2)"})
    assert ("hadamard" in str(told.value)) == helps


@pytest.mark.parametrize(("more", "longest"), [(0, 5), (-1, 4), (-(10**6), 1)])
def test_blocks_of_features_fit_the_memory(
    more: int, longest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 bytes a feature, which is what a complex one takes; never less than a row."""
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).normal(size=(20, 2)))
    fmap = ks.compile("gaussian()", dim=2, n_features=8)
    monkeypatch.setattr(streaming, "MAX_BLOCK_BYTES", max(0, 5 * 16 * 8 + more))
    with open_table(tmp_path / "rows.npy") as reader:
        blocks = streaming.feature_blocks(fmap, reader, rows=20, double=True, advance=lambda n: None)
        found = [len(block) for block, _ in blocks]
    assert max(found) == longest
    assert sum(found) == 20
