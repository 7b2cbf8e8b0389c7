"""A formula that looks like a kernel but is not: python examples/none.py"""

from pathlib import Path

import numpy as np

import kernelspec as ks


def main() -> None:
    """Print the counterexample: a spectral density that changes sign, and a matrix with a negative eigenvalue."""
    spec = ks.load(Path(__file__).parent / "refused" / "none.kernel")
    facts = ks.analyze(spec, dim=1)
    print(f"positive definite: {facts.verdict.positive_definite}")
    density = facts.spectral_density_at(np.array([[0.0], [1.0], [2.0]]))
    print("spectral density at 0, 1, 2: " + ", ".join(f"{value:+.3f}" for value in density.real))
    rows = np.linspace(0, 10, 30)[:, None]
    print(f"smallest eigenvalue of a matrix: {np.linalg.eigvalsh(spec.gram(rows))[0]:.2f}")
    features = ks.compile(spec, data=rows, n_features=64)
    try:
        features.transform(rows)
    except ks.KernelspecError as error:
        print(error)


if __name__ == "__main__":
    main()
