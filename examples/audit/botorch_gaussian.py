"""The bias of BoTorch's kernel features for exp(−r²/2), as `kernelspec audit` prints it."""

import numpy as np
import torch
from botorch.sampling.pathwise.features.generators import gen_kernel_features
from gpytorch.kernels import RBFKernel

rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
r = np.sqrt(np.square(rows[:, None] - rows).sum(axis=-1))
exact = np.exp(-(r**2) / 2)


def features(seed):
    torch.manual_seed(seed)
    kernel = RBFKernel().double()
    kernel.lengthscale = 1.0
    return gen_kernel_features(kernel, 4, 64)(torch.as_tensor(rows)).detach().numpy()


seeds = [int(np.random.default_rng(m).integers(2**31)) for m in range(400)]
errors = np.array([z @ z.T - exact for z in map(features, seeds)])
certain = errors.mean(axis=0) / np.maximum(errors.std(axis=0), 1e-12)
print(f"{errors.mean(axis=0).flat[np.abs(certain).argmax()]:+.4f}")
