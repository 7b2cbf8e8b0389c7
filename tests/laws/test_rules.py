"""Tests of `laws/rules.py`."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
import kernelspec.kernels
import kernelspec.laws
from kernelspec.catalogue import KERNELS
from kernelspec.errors import KernelspecError, PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Gibbs, InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Named, Unavailable
from kernelspec.laws.keys import BinningLaw
from kernelspec.laws.law import Law
from kernelspec.laws.rules import (
    DRAWS,
    LAWS,
    OF_SHARES,
    SCHEMES,
    Below,
    closed_to,
    law_of,
    laws_of,
    own_law,
    schemes_of,
)
from kernelspec.loading import load_from
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.compositional.test_base_products import values
from tests.laws.texts import kernel_of

FOLDER = Path(kernelspec.laws.__file__).parent


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in FOLDER.rglob("*.py"):
        inside = path.relative_to(FOLDER).with_suffix("").parts
        found[".".join(("kernelspec", "laws", *inside))] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def rules() -> dict[str, str]:
    return {name: scheme.rule for name, scheme in SCHEMES.items()} | {
        name: draws.stream for name, draws in DRAWS.items()
    }


@pytest.mark.parametrize("name", rules())
def test_every_rule_is_found(name: str) -> None:
    assert callable(load_from(rules()[name]))


@pytest.mark.parametrize("entry", [*SCHEMES.values(), *DRAWS.values()])
def test_every_entry_has_words(entry) -> None:
    assert entry.words == entry.words.strip() != ""


@pytest.mark.parametrize("name", LAWS)
def test_every_law_is_found(name: str) -> None:
    assert issubclass(load_from(LAWS[name]), Law)


def test_every_law_has_an_entry() -> None:
    bases = {  # of others
        "atoms:SomeAtomsLaw",
        "columns_and_lags:Derived",
        "compositional.low_degrees:ConditionalLaw",
        "keys:Agreement",
        "law:CombinedLaw",
        "law:KernelLaw",
        "law:PhasorLaw",
        "translation:VectorLaw",
    }
    written = {
        f"{name}:{node.name}"
        for name, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and {"Law", *(base.partition(":")[2] for base in bases)} & set(map(ast.unparse, node.bases))
    }
    written -= {f"kernelspec.laws.{base}" for base in bases}
    assert written == set(LAWS.values())


def test_every_module_that_registers_laws_is_listed() -> None:
    # law_of imports the modules of the catalogue, so that their rules are there
    registering = {
        name
        for name, tree in modules().items()
        if any(isinstance(node, ast.Attribute) and ast.unparse(node) == "own_law.register" for node in ast.walk(tree))
    }
    assert registering - {"kernelspec.laws.rules"} <= {home.partition(":")[0] for home in LAWS.values()}


# columns 0 and 1 are numbers, 2 is a category; 3 and 4 are a row of norm 1, 5 is a sign
NUMBERS = np.array([[0.3, -0.8], [0.5, -0.6], [1.0, 0.4], [-0.4, 0.9]])
UNIT = np.array([[0.6, 0.8], [0.8, 0.6], [0.0, 1.0], [-0.28, 0.96]])
X = np.hstack([NUMBERS, [[0], [0], [1], [1]], UNIT, [[1], [-1], [-1], [1]]])

CATALOGUE = {
    "binary": "binary()[5]",
    "bochner": "bochner(student_t(dof=3))[0, 1]",
    "brownian": "brownian(order=2, until=2)[2]",
    "cauchy": "cauchy(scale=2)[0, 1]",
    "circle": "circle()[0]",
    "constant": "constant()",
    "cosh_gaussian": "cosh_gaussian(scale=1.5, by=[0.2, -0.1])[0, 1]",
    "cosine": "cosine([1, 0.5])[0, 1]",
    "exponential": "exponential(scale=2)[0, 1]",
    "gaussian": "gaussian(scale=1.5)[0, 1]",
    "laplace": "laplace(scale=3)[0, 1]",
    "linear": "linear()[0, 1]",
    "match": "match()[2]",
    "matern": "matern(nu=3/2, scale=2)[0, 1]",
    "minmax": "minmax()[0, 1]",
    "noise": "noise()[2]",
    "periodic": "periodic(period=3, scale=1.2)[0, 1]",
    "polya": "polya(weibull(shape=2, scale=3))[0, 1]",
    "powered_exponential": "powered_exponential(alpha=1.3, scale=2)[0, 1]",
    "rational_quadratic": "rational_quadratic(alpha=0.7, scale=1.5)[0, 1]",
    "rbf_cosine": "rbf_cosine(gamma=2)[0, 1]",
    "shift_gaussian": "shift_gaussian(scale=1.5, by=[0.5, 1])[0, 1]",
    "sho": "sho(frequency=2, quality=1.5)[0, 1]",
    "sinc": "sinc(bandwidth=0.8)[0, 1]",
    "sinh_gaussian": "sinh_gaussian(scale=1.5, by=[0.3, -0.1])[0, 1]",
    "sphere": "sphere()[3, 4]",
    "triangle": "triangle(width=4)[0, 1]",
}

OTHERS = [
    "each(laplace(scale=2))[0, 1]",
    "gneiting(space=matern(nu=3/2)[0, 1], time=2, alpha=0.6)",
    "additive(gaussian() + linear(), order=2)[0, 1, 3]",
    "normalize(linear())[0, 1]",
    "normalize(linear()[0, 1])",
    "product(t -> exp(-abs(t)))[0, 1]",
    "product(t -> 1/(1 + t))[0, 1]",
    "radial(r -> tanh(r)/r)[0, 1]",
    "2*gaussian()[0, 1] - 0.5*match()[2]*laplace()[0]",
    "(gaussian()[0] + match()[2]) ** 2",
    "stretch(minmax(), [2, 1])[0, 1]",
    "shift(laplace(), by=[0.5, -0.2])[0, 1]",
    "tilt(laplace(), by=[0.2, 0.1])[0, 1]",
    "dual(exp(c=1), gaussian())[0, 1]",
    "full(exp(c=1), input=image(1, 2, 1))[0, 1]",
    "full(relu, input=conv(exp(c=1), size=2, padding=same, input=image(1, 2, 1, base=laplace())))[0, 1]",
    "dual(relu, 0.5*gaussian() + 0.5*match())[0, 2]",
    "full(relu, input=conv(exp(c=1), size=2, padding=same, input=image(1, 2, 1, base=minmax())))[0, 1]",
]

OF_SCHEMES = {
    "atoms": [
        "periodic(period=2)[0]",
        "0.5*cosine(by=[1, 2])[0, 1] ** 3 + stretch(periodic(period=3, scale=0.5), 2)[1]",
    ],
    "binning": ["laplace(scale=2)[0, 1]", "polya(nakagami(2))[0, 1] * gaussian()[0] + stretch(triangle(4), 2)[1]"],
    "category_phases": ["match()[2]", "match()[2] * gaussian()[0]", "dual(exp(c=1), match()[2])"],
    "exact": ["linear()[0, 1]", "sphere()[3, 4]", "normalize(linear())[0, 1] * gaussian(scale=3)[0]"],
    "gcws": ["minmax()[0, 1]"],
    "poisson": ["minmax()[0, 1]", "minmax()[0, 1] ** 2"],
    "polar": ["shift_gaussian(scale=1.5, by=[0.5, 1])[0, 1]", "shift(gaussian(), by=[0.5, 1])[0, 1]"],
    "jordan": ["shift_gaussian(scale=1.5, by=[0.5, 1])[0, 1]", "cosh_gaussian(by=[0.3, 0.5])[0, 1]"],
    "rejection": ["sinh_gaussian(by=[0.6, 0.5])[0, 1]"],
    "rows": ["sinh_gaussian(by=[0.3, 0.5])[0, 1]", "cosh_gaussian(by=[0.3, 0.5])[0, 1]"],
    "shifts": ["sinh_gaussian(by=[0.3, 0.5])[0, 1]"],
    "neurons": ["dual(hermite(2), sphere())[3, 4]", "dual(cos(1), normalize(linear()))[0, 1]"],
    "curved_neurons": ["dual(relu, sphere())[3, 4]", "dual(sin(1), normalize(linear()))[0, 1]"],
    "low_degrees": ["dual(exp(c=1), linear())[0, 1]", "dual(exp(c=1), sphere())[3, 4]"],
    "varying": ["dual(exp(c=1), gaussian())[0, 1]", "full(exp(c=1), input=image(1, 2, 1))[0, 1]"],
}


def everything_below(kernel: Kernel) -> Iterator[Kernel]:
    yield kernel
    for child in kernel.children():
        yield from everything_below(child)


def laws_below(law: Law) -> Iterator[Law]:
    yield law
    for child in law.children():
        yield from laws_below(child)


def concrete(cls: type[Kernel]) -> Iterator[type[Kernel]]:
    for below in cls.__subclasses__():
        if not inspect.isabstract(below) and below.__module__.startswith("kernelspec.kernels."):
            yield below
        yield from concrete(below)


def check_samples(law: Law, n: int = 8_000, rows: np.ndarray | None = None) -> None:
    """Mean and second moments of the samples drawn, for all pairs of rows; budget 3e-8.

    The first samples do not depend on how many follow.
    """
    own = Rows(X if rows is None else rows)
    pairs, columns = NumericPairs(own, own), tuple(range(own.n_columns))
    drawn = np.zeros((n, 4, 4), dtype=complex)
    real = np.ones(n, dtype=bool)
    for batch in law.draw(Stream(17), n, columns):
        np.add.at(drawn, batch.index, values(batch, own, own))
        real[batch.index] &= not batch.is_complex
    first = np.zeros((9, 4, 4), dtype=complex)
    for batch in law.draw(Stream(17), 9, columns):
        np.add.at(first, batch.index, values(batch, own, own))
    np.testing.assert_allclose(first, drawn[:9], rtol=1e-9, atol=1e-12, err_msg="the first samples, drawn alone")
    p = drawn.reshape(n, -1)
    moments = law.moments(pairs)
    a, b, of_real = (np.broadcast_to(np.asarray(part, dtype=float), (4, 4)).ravel() for part in vars_of(moments))
    mean = np.broadcast_to(np.asarray(law.value(pairs), dtype=float), (4, 4)).ravel()
    size = np.abs(p) ** 2
    assert_mean(p.real, mean, budget=1e-8, what="mean")
    assert_mean(np.hstack([size, (p**2).real]), np.hstack([a, b]), budget=1e-8, what="second moment")
    assert_mean(size * real[:, None], of_real, budget=1e-8, what="second moment of the samples without a phasor")


def vars_of(moments) -> tuple:
    return moments.a, moments.b, moments.real


@pytest.mark.slow
@pytest.mark.parametrize("text", [*CATALOGUE.values(), *OTHERS])
def test_own_laws_have_the_value_and_the_moments_of_their_samples(text: str) -> None:
    kernel = kernel_of(text, 6)
    law, pairs = law_of(kernel), NumericPairs(Rows(X), Rows(X))
    np.testing.assert_allclose(law.value(pairs), kernel.value(pairs), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(law.mean(pairs), law.value(pairs))
    assert law.cuts == ()
    check_samples(law)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "text"), [(scheme, text) for scheme, texts in OF_SCHEMES.items() for text in texts])
def test_laws_of_schemes_have_the_value_of_the_kernel_and_the_moments_of_their_samples(scheme: str, text: str) -> None:
    kernel = kernel_of(text, 6)
    assert scheme in schemes_of(kernel)
    law, pairs = law_of(kernel, scheme), NumericPairs(Rows(X), Rows(X))
    np.testing.assert_allclose(law.value(pairs), kernel.value(pairs), rtol=1e-11, atol=1e-11)
    check_samples(law)


def test_every_scheme_has_an_example() -> None:
    assert set(OF_SCHEMES) == set(SCHEMES)


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme not in ("gcws", "polar")])
def test_a_scheme_is_another_way(scheme: str) -> None:
    for text in OF_SCHEMES[scheme]:
        kernel = kernel_of(text, 6)
        assert law_of(kernel, scheme) != law_of(kernel)


def test_every_kernel_has_an_example_here() -> None:
    """A kernel or node of a new class is one more line above: it has a law, and closed_to an answer."""
    assert set(CATALOGUE) == set(KERNELS)
    for module in pkgutil.walk_packages(kernelspec.kernels.__path__, "kernelspec.kernels."):
        import_module(module.name)
    met = {type(node) for text in (*CATALOGUE.values(), *OTHERS) for node in everything_below(kernel_of(text, 6))}
    missing = set(concrete(Kernel)) - met
    # what linear() and the others have in common; what a later version will have, refused; a name in formulas; and
    # what stands on functions of columns alone
    assert missing <= {InnerProduct, Unavailable, Named, Gibbs}


def test_the_law_of_a_length_scale_that_varies() -> None:
    rows = np.column_stack([NUMBERS[:, 0], 0.4 + NUMBERS[:, 1] ** 2])
    check_samples(law_of(Gibbs(typical=0.7, dim=2)), rows=rows)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["product(t -> 1 - t**2)"])
def test_a_formula_that_cannot_be_drawn_has_moments_and_is_refused_when_drawn(text: str) -> None:
    law = law_of(kernel_of(text, 2))
    assert np.array_equal(law.mean(NumericPairs.of_vectors(np.zeros((1, 2)))), [1.0])
    with pytest.raises(KernelspecError, match="no features"):
        law.draw(Stream(0), 3, (0, 1))


@dataclass(frozen=True, kw_only=True)
class Unknown(Gaussian):
    """A kernel of a class of its own, made of another kernel."""

    inside: Kernel = Gaussian(dim=1)

    def children(self) -> Iterator[Kernel]:
        yield self.inside


@dataclass(frozen=True, kw_only=True)
class Odd(Kernel):
    """A node that no rule knows."""

    base: Kernel

    def children(self) -> Iterator[Kernel]:
        yield self.base

    def value(self, pairs):
        return self.base.value(pairs)

    def diagonal(self):
        return 1

    def magnitude(self):
        return 1

    def verdict(self):
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return True


def test_nodes_that_are_not_known_are_refused() -> None:
    odd = Odd(base=Gaussian(dim=1), dim=1)
    with pytest.raises(TypeError, match="no law for the samples of Odd: register one with own_law"):
        own_law(odd, Below(None))
    with pytest.raises(TypeError, match="egister"):
        law_of(odd)
    for kernel, name in ((odd, "Odd"), (Unknown(dim=1), "Unknown")):
        with pytest.raises(TypeError, match=rf"no rule for schemes below {name}: register one with closed_to"):
            closed_to(kernel)
        with pytest.raises(TypeError, match="register one with closed_to"):
            schemes_of(kernel)
    assert closed_to(Gaussian(dim=1)) == frozenset()


SIGNED = {"jordan", "rejection", "rows", "shifts"}


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme not in SIGNED])
def test_one_bound_on_the_samples(scheme: str) -> None:
    """Ways to sample that are no sum of signed parts have the size of the kernel."""
    for text in OF_SCHEMES[scheme]:
        kernel = kernel_of(text, 6)
        found, expected = float(law_of(kernel, scheme).magnitude()), float(kernel.magnitude())
        assert found == pytest.approx(expected, rel=1e-13), text


def binned_leaves(law: Law) -> list[str]:
    return sorted(str(below.kernel) for below in laws_below(law) if isinstance(below, BinningLaw))


def test_schemes_of_a_tree() -> None:
    assert schemes_of(kernel_of("gaussian() * cauchy()", 3)) == ()
    assert schemes_of(kernel_of("gaussian() * (laplace() + triangle())[0]", 3)) == ("binning",)
    assert schemes_of(kernel_of("minmax()", 3)) == ("gcws", "poisson")
    assert set(schemes_of(kernel_of("minmax()[0, 1] * laplace()[2]", 3))) == {"gcws", "poisson", "binning"}
    assert set(laws_of(kernel_of("minmax()", 3))) == {None, "gcws", "poisson"}


def test_all_that_can_be_replaced_is() -> None:
    kernel = kernel_of("gaussian() * (2 * laplace() + triangle()[0, 1]) ** 2 - stretch(laplace(scale=3), 2)", 3)
    assert binned_leaves(law_of(kernel)) == []
    found = binned_leaves(law_of(kernel, "binning"))
    assert sorted(set(found)) == ["laplace(scale=1)", "laplace(scale=3)", "triangle(width=1)"]
    assert len(found) == 5  # both draws of the square have both


def test_what_has_no_such_node_is_sampled_as_it_is() -> None:
    for text in ("gaussian() + cauchy()", "laplace()"):
        kernel = kernel_of(text, 3)
        assert law_of(kernel, "poisson") == law_of(kernel)


def test_schemes_of_shares_stay_out_of_products() -> None:
    for text in ("dual(exp(c=1), gaussian()) * laplace()", "dual(exp(c=1), gaussian()) ** 2"):
        kernel = kernel_of(text, 2)
        assert closed_to(kernel) == OF_SHARES
        assert "varying" not in schemes_of(kernel)
        assert law_of(kernel, "varying") == law_of(kernel)


def test_a_scheme_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        law_of(Gaussian(dim=1), "no scheme")
    with pytest.raises(PlanError, match="method"):
        ks.compile("gaussian()", dim=1, method="binning")


@pytest.mark.slow
def test_a_fresh_process_knows_the_schemes_of_sums() -> None:
    """Rules are registered by modules that nothing else may have imported yet."""
    code = (
        "import kernelspec as ks; from kernelspec.laws.rules import schemes_of; "
        "spec = ks.parse('gaussian() - 0.5*laplace()'); print(schemes_of(spec.kernel(spec.columns(2))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
