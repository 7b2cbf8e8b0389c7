"""The weights of a sum, learned by scikit-learn's Gaussian process: python examples/weights.py"""

from pathlib import Path

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor

import kernelspec as ks


def main() -> None:
    """Draw a curve with weights 2, 0.2 and 0.01, and recover them."""
    spec = ks.load(Path(__file__).parent / "specs" / "weights.kernel")
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 60, 250))[:, None]
    covariance = spec.with_params({"smooth": 2, "rough": 0.2, "error": 0.01}).gram(x)
    y = np.linalg.cholesky(covariance) @ rng.standard_normal(len(x))
    model = GaussianProcessRegressor(ks.to_sklearn(spec)).fit(x, y)
    before, after = model.log_marginal_likelihood(model.kernel.theta), model.log_marginal_likelihood_value_
    print(f"log likelihood: {before:.0f} with the weights of the file, {after:.0f} with those learned")
    found = model.kernel_.spec.params
    print(f"smooth {found['smooth']:.1f}, rough {found['rough']:.2f}, error {found['error']:.2f}")


if __name__ == "__main__":
    main()
