"""The weights of a sum, learnt by the likelihood of a Gaussian process: python examples/weights.py"""

from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

import kernelspec as ks

NOISE = 0.01


def surprise(logs: np.ndarray, spec: ks.Spec, x: np.ndarray, y: np.ndarray) -> float:
    """Minus the log likelihood of y, without its constant, for logarithms of the two weights."""
    smooth, rough = np.exp(logs)
    covariance = spec.with_params({"smooth": smooth, "rough": rough}).gram(x) + NOISE * np.eye(len(x))
    factor, lower = cho_factor(covariance)
    return float(0.5 * y @ cho_solve((factor, lower), y) + np.log(np.diagonal(factor)).sum())


def main() -> None:
    """Draw a curve with weights 2 and 0.2, and find them again."""
    spec = ks.load(Path(__file__).parent / "specs" / "weights.kernel")
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 60, 250))[:, None]
    true = spec.with_params({"smooth": 2, "rough": 0.2}).gram(x) + NOISE * np.eye(len(x))
    y = np.linalg.cholesky(true) @ rng.standard_normal(len(x))
    start = np.log([0.5, 0.5])
    found = minimize(surprise, start, args=(spec, x, y), method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-3})
    smooth, rough = np.exp(found.x)
    print(f"log likelihood: {-surprise(start, spec, x, y):.1f} with equal weights, {-found.fun:.1f} with those learnt")
    print(f"smooth {smooth:.1f} (drawn with 2), rough {rough:.2f} (drawn with 0.2)")


if __name__ == "__main__":
    main()
