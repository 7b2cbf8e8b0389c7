"""Good texts and bytes, and what a few edits make of them."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from kernelspec.activations.catalogue import ACTIVATIONS, load_activation
from kernelspec.distributions.catalogue import DISTRIBUTIONS, load_distribution
from kernelspec.elaboration.forms.catalogue import FORMS
from kernelspec.kernels.catalogue import KERNELS, load_kernel
from kernelspec.notation.arguments import declared

__all__ = ["SINGLE_TEXTS", "TEXTS", "bytes_near", "texts_near"]

TEXTS = (
    "0.7*gaussian(scale=2) + 0.3*polya(gamma(shape=2), area=1)",
    "param s > 0\nlet k = matern(nu=3/2, scale=2)\n(k*k + laplace()[0])**2 - 0.5*gaussian()",
    "param a = 1\nparam b = a + 1\nlet c = b*a\nstretch(gaussian(scale=c), [1, 2])",
    "stretch(laplace(), [[1, 0.5], [0, 2]])",
    "shift(gaussian(), by=[1, 0.2]) + tilt(gaussian(scale=1), by=0.1)",
    "modulate(cauchy(scale=2), by=[1, 2]) * normalize(linear())",
    "minmax() * match()[0] + rbf_cosine(gamma=1)",
    "bochner(student_t(dof=3)) + bochner(uniform(low=-1, high=1))",
    "cosh_gaussian(scale=1.5, by=0.1) + sinh_gaussian(by=0.3) + shift_gaussian(by=0.2)",
    "dual(relu, gaussian()) + layer(erf, laplace(), gaussian())",
    "full(relu, input=conv(relu, size=2, padding=same, input=image(1, 2, 1, base=gaussian())))",
    "product(t -> exp(-t**0.5)) + product(t -> max(0, 1 - t))",
    "dual(activation(x -> max(0, x) + 0.1*x**2), gaussian())",
    "rational_quadratic(alpha=2, scale=1)**2 * powered_exponential(alpha=1.5)",
    "periodic(period=2, scale=1)[0] * cosine(by=1)[1] + sinc(bandwidth=2)[0:2] + triangle(width=3)[-1]",
    "mean(gaussian()[0], exponential()[1]) * circle()[0]",
    "polya(pareto(shape=2)) + polya(lognormal(sigma=0.5)) + polya(weibull(shape=2))",
)
"""Every form of the language, on two columns."""


def _called(name: str, cls: type) -> str:
    """A call with every argument written out."""
    values = {"distribution": "gamma(shape=2)", "boolean": "true", "numbers": "[1, 2]", "vector": "[0.5, 2]"}
    arguments = [f"{key}={values.get(argument.kind, '2')}" for key, (argument, _) in declared(cls).items()]
    return f"{name}({', '.join(arguments)})"


SINGLE_TEXTS = (
    *(_called(name, load_kernel(name)) for name in KERNELS if name not in ("binary", "sphere", "circle")),
    *(f"polya({_called(name, load_distribution(name))}, area=2)" for name in DISTRIBUTIONS),
    *(f"bochner({_called(name, load_distribution(name))})" for name in DISTRIBUTIONS),
    *(f"dual({_called(name, load_activation(name))}, gaussian(scale=2))" for name in ACTIVATIONS),
    "bochner(uniform(low=-1, high=1), isotropic=false)",
    "polya(uniform(low=1, high=2))",
    "polya(discrete([1, 2], [0.5, 0.5]))",
    "stretch(laplace(scale=2), [1, 2])",
    "product(t -> exp(-2*t**0.5))",
    "product(t -> max(0, 1 - t/2))",
)
"""One kernel, distribution or activation each, with numbers for all arguments."""

_NUMBERS = (
    *("0", "-1", "1", "2", "3", "0.5", "1/3", "7", "64", "100", "101", "1000", "20000", "1000000", "1e9", "1e15"),
    *("1e-9", "1e-15", "1e-99", "1e-100", "1e-101", "1e-155", "1e-307", "1e-308", "1e99", "1e100", "1e101", "1e155"),
    *("1e307", "1e308", "1e309", "0.1", "0.99999999999", "1.00000000001", "2.5", "1.5", "pi", "d", "-0.5", "9" * 99),
)
_WORDS = (
    *(f"{name}()" for name in (*KERNELS, *FORMS)),
    *(*DISTRIBUTIONS, *ACTIVATIONS, *KERNELS, *FORMS, "exp", "log", "sqrt", "abs", "max", "activation", "radial"),
    *("+", "-", "*", "/", "**", "(", ")", "[", "]", ",", ":", "=", "->", "\n", " ", ".", "e", "#", '"', "'", "\\"),
    *("param q = 2\n", "let q = 2\n", "ones", "s", "a", "k", "t", "x", "true", "false", "scale=", "by=", "nu="),
    *("[1, 2]", "[[1]]", "[0:2]", "[-1]", "[0]", "['a b']", "**2", "*gaussian()", " + laplace()", "-linear()"),
    *("\x00", "é", "σ", "−", "\u2028", "\U0001f600", "½", "\t", "\r"),
)
_TOKEN = re.compile(r"\w+(?:\.\w+)?|\s+|[^\w\s]")


@st.composite
def texts_near(draw: st.DrawFn, texts: tuple[str, ...] = TEXTS, most: int = 4) -> str:
    """A text after one or more edits of its words: other numbers, words left out, doubled, exchanged or put in."""
    words = _TOKEN.findall(draw(st.sampled_from(texts)))
    for _ in range(draw(st.integers(1, most))):
        if not words:
            break
        place = draw(st.integers(0, len(words) - 1))
        match draw(st.integers(0, 7)):
            case 0 | 1 | 2:  # a number, most of the time: that is where the ranges are
                numbers = [i for i, word in enumerate(words) if word[0].isdigit()]
                place = numbers[place % len(numbers)] if numbers else place
                words[place] = draw(st.sampled_from(_NUMBERS))
            case 3:
                words[place] = draw(st.sampled_from(_WORDS))
            case 4:
                words.insert(place, draw(st.sampled_from(_WORDS)))
            case 5:
                del words[place]
            case 6:
                end = draw(st.integers(place, min(len(words), place + 12)))
                words[place:place] = words[place:end]
            case 7:
                other = _TOKEN.findall(draw(st.sampled_from(texts)))
                start = draw(st.integers(0, len(other) - 1))
                words[place : place + 3] = other[start : start + draw(st.integers(1, 12))]
    return "".join(words)


@st.composite
def bytes_near(draw: st.DrawFn, files: tuple[bytes, ...], words: tuple[bytes, ...] = (), most: int = 4) -> bytes:
    """A file after some edits: bytes changed, left out, doubled, cut off, and some `words` of its format put in."""
    data = bytearray(draw(st.sampled_from(files)))
    for _ in range(draw(st.integers(1, most))):
        place = draw(st.integers(0, len(data)))
        length = draw(st.integers(1, 8))
        match draw(st.integers(0, 6 if words else 4)):
            case 0:
                data[place : place + 1] = draw(st.binary(min_size=1, max_size=1))
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length * 4]
            case 3:
                del data[place:]
            case 4:
                data[place:place] = draw(st.binary(min_size=1, max_size=4))
            case _:
                word = draw(st.sampled_from(words))
                data[place : place + draw(st.sampled_from([0, len(word)]))] = word
    return bytes(data)
