"""Features of a kernel as a scikit-learn transformer. The one room that imports scikit-learn."""

from kernelspec.estimator.estimator import KernelFeatures

__all__ = ["KernelFeatures"]
