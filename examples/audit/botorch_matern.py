"""The bias of BoTorch's kernel features for (1 + √3 r) exp(−√3 r), as `kernelspec audit` prints it."""

import numpy as np
import torch
from botorch.sampling.pathwise.features.generators import gen_kernel_features
from gpytorch.kernels import MaternKernel

rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
r = np.sqrt(np.square(rows[:, None] - rows).sum(axis=-1))
exact = (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)


def features(seed):
    torch.manual_seed(seed)
    kernel = MaternKernel(nu=1.5).double()
    kernel.lengthscale = 1.0
    return gen_kernel_features(kernel, 4, 64)(torch.as_tensor(rows)).detach().numpy()


seeds = [int(np.random.default_rng(m).integers(2**31)) for m in range(400)]
errors = np.array([z @ z.T - exact for z in map(features, seeds)])
certain = errors.mean(axis=0) / np.maximum(errors.std(axis=0), 1e-12)
print(f"{errors.mean(axis=0).flat[np.abs(certain).argmax()]:+.4f}")
