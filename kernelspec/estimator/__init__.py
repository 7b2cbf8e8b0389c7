"""Features of a kernel as a scikit-learn transformer.

Parameters of the spec are hyperparameters; scikit-learn is imported here, for the class itself.
May import: compilation, elaboration, kernels, language, maps, planning, spec, tables.
"""

from kernelspec.estimator.estimator import KernelFeatures

__all__ = ["KernelFeatures"]
