"""The bias of SkewedChi2Sampler for ∏ 2√(x+c)√(y+c)/(x+y+2c), as `kernelspec audit` prints it."""

import numpy as np
from sklearn.kernel_approximation import SkewedChi2Sampler

rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
exact = np.prod(2 * np.sqrt((rows[:, None] + 1) * (rows + 1)) / (rows[:, None] + rows + 2), axis=-1)
size = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
maps = [SkewedChi2Sampler(skewedness=1, n_components=64, random_state=seed).fit_transform(rows) for seed in range(400)]
errors = np.array([(z @ z.T - exact) / size for z in maps])
certain = errors.mean(axis=0) / np.maximum(errors.std(axis=0), 1e-12)
print(f"{errors.mean(axis=0).flat[np.abs(certain).argmax()]:+.4f}")
