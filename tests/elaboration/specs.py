"""Specs that every report is tried on: the catalogue, and composites of up to ten kernels."""

from __future__ import annotations

CATALOGUE = [
    "gaussian(scale=2)",
    "laplace(scale=2)",
    "exponential(scale=2)",
    "matern(nu=3/2)",
    "matern(nu=0.8, scale=2)",
    "cauchy(scale=2)",
    "rational_quadratic(alpha=3/2)",
    "powered_exponential(alpha=3/2)",
    "triangle(width=3)",
    "sinc(bandwidth=2)",
    "cosine(by=2)",
    "periodic(period=3)",
    "match()",
    "bochner(student_t(dof=3))",
    "bochner(cauchy(), isotropic=true)",
]

STATIONARY = [
    "0.7*gaussian(2) + 0.3*laplace()",
    "gaussian()*laplace()",
    "2*matern(nu=5/2)*cosine(1) + triangle(4)[0]",
    "stretch(exponential(), 3)*periodic(2)[1]",
    "stretch(cauchy(), [1, 3])",
    "stretch(rational_quadratic(1), [[1, 2], [0, 1]])",
    "stretch(laplace(), [[1, 1]])",
    "mean(gaussian(), laplace(), cauchy(), sinc())**2",
    "modulate(gaussian(3), by=[1, 2])",
    "normalize(2*gaussian() + laplace())**3",
    "gaussian()[0]*laplace()[1] + 0.1*gaussian()[1]*cauchy()[0]",
    "(gaussian() + cosine(1))*(laplace() + periodic(2))",
    "cosine(1)*cosine(2)*periodic(2)[0]",
    "gaussian()**2.5 * bochner(student_t(3))",
    "mean(gaussian(), laplace(), cauchy(), sinc(), triangle(), exponential(), matern(1), periodic(1), cosine(1), "
    "rational_quadratic(1))",
    "gaussian()*laplace()*cauchy()*sinc()*triangle(9)*exponential()*matern(2)*periodic(1)*cosine(1)"
    "*rational_quadratic(1)",
    "(((gaussian() + laplace())*cauchy() + sinc())*exponential() + triangle(3))*matern(nu=1)",
]

OTHERS = [
    "2*gaussian() - laplace()",
    "gaussian() - gaussian()",
    "-(gaussian()*laplace())",
    "gaussian()[0]*match()[1]",
    "0.5*match() + 2*laplace()*match()[0]",
    "gaussian() - 0.5*match()[0]*(laplace() - cauchy())**2",
]

ALL = [*CATALOGUE, *STATIONARY, *OTHERS]

COSTLY = [
    *STATIONARY[-3:],
    "mean(gaussian(), laplace(), cauchy(), sinc())**2",
    "normalize(2*gaussian() + laplace())**3",
    "gaussian()**2.5 * bochner(student_t(3))",
]
"""Composites whose facts take a second or more: for the long run."""
