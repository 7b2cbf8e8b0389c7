"""Are the features what they claim to be? Many independent maps against the exact kernel and the predicted variance."""

from kernelspec.verification.certificate import Certificate, EstimatorCheck
from kernelspec.verification.verifier import verify

__all__ = ["Certificate", "EstimatorCheck", "verify"]
