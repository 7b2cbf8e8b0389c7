"""Good texts and bytes, and what a few edits make of them, chosen by Hypothesis or by a seed."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from kernelspec.activations.activation import load_activation
from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.distributions.distribution import load_distribution
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaf import load_kernel

__all__ = ["SINGLE_TEXTS", "TEXTS", "bytes_near", "composed_text", "text_near"]

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
_PLAIN = (
    *("0.5", "1", "2", "3", "1/3", "1.5", "2.5", "7", "0.1", "100", "0", "d"),
    *("1000", "1e-9", "1e9", "1e-99", "1e99"),
)
_COMPOSITIONS = (
    *("{a} + {b}", "({a}) * ({b})", "{x}*({a}) - {y}*({b})", "mean({a}, {b})", "({a})[0] * ({b})[1]", "({a})[-1]"),
    *("stretch({a}, {x})", "stretch({a}, [{x}, {y}])", "stretch({a}, [[{x}, 0.5], [0, {y}]])", "normalize({a})"),
    *("({a})**{n}", "shift({a}, by={x})", "shift({a}, by=[{x}, {y}])", "tilt({a}, by={x})", "modulate({a}, by={x})"),
    *("dual({f}, {a})", "dual({f}(), {a})", "layer({f}, {a}, {b})", "let k = {a}\nk*k + {x}*k"),
    *(
        "param s = {x}\ns*({a})",
        "full({f}, input=image(1, 2, 1, base={a}))",
        "match()[0] * ({a})[1]",
        "minmax() + {x}*({a})",
    ),
)
_TOKEN = re.compile(r"\w+(?:\.\w+)?|\s+|[^\w\s]")


def text_near(random: Random, texts: tuple[str, ...] = TEXTS, most: int = 4) -> str:
    """A text after one or more edits of its words: other numbers, words left out, doubled, exchanged or put in."""
    words = list(_words(random.choice(texts)))
    for _ in range(random.randint(1, most)):
        if not words:
            break
        place = random.randrange(len(words))
        match random.randrange(8):
            case 0 | 1 | 2:  # a number, most of the time: that is where the ranges are
                numbers = [i for i, word in enumerate(words) if word[0].isdigit()]
                place = numbers[place % len(numbers)] if numbers else place
                words[place] = random.choice(_NUMBERS)
            case 3:
                words[place] = random.choice(_WORDS)
            case 4:
                words.insert(place, random.choice(_WORDS))
            case 5:
                del words[place]
            case 6:
                end = random.randint(place, min(len(words), place + 12))
                words[place:place] = words[place:end]
            case 7:
                other = _words(random.choice(texts))
                start = random.randrange(len(other))
                words[place : place + 3] = other[start : start + random.randint(1, 12)]
    return "".join(words)


def composed_text(random: Random) -> str:
    """One or two kernels put together, with numbers most of which are allowed; more often a kernel than not."""
    text = random.choice(SINGLE_TEXTS)
    for _ in range(random.randrange(3)):
        names = {"a": text, "b": random.choice(SINGLE_TEXTS), "f": random.choice(tuple(ACTIVATIONS))}
        numbers = {"x": random.choice(_PLAIN), "y": random.choice(_PLAIN), "n": random.choice(("1", "2", "3", "1/2"))}
        text = random.choice(_COMPOSITIONS).format(**names, **numbers)
    words = list(_words(text))
    numbers_at = [i for i, word in enumerate(words) if word[0].isdigit()]
    for place in random.sample(numbers_at, min(len(numbers_at), random.randrange(3))):
        words[place] = random.choice(_NUMBERS if random.randrange(4) == 0 else _PLAIN)
    return "".join(words)


@cache
def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text))


def bytes_near(random: Random, files: tuple[bytes, ...], words: tuple[bytes, ...] = (), most: int = 4) -> bytes:
    """A file after some edits: bytes changed, left out, doubled, cut off, and some `words` of its format put in."""
    data = bytearray(random.choice(files))
    for _ in range(random.randint(1, most)):
        place = random.randint(0, len(data))
        length = random.randint(1, 8)
        match random.randrange(7 if words else 5):
            case 0:
                data[place : place + 1] = random.randbytes(1)
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length * 4]
            case 3:
                del data[place:]
            case 4:
                data[place:place] = random.randbytes(random.randint(1, 4))
            case _:
                word = random.choice(words)
                data[place : place + random.choice([0, len(word)])] = word
    return bytes(data)
