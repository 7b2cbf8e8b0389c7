"""Are the features what they claim to be? Many maps against the exact kernel and the predicted variance.

Tests keep their level for any law; what was not judged is said.
"""

from kernelspec.verification.certificate import Certificate, EstimatorCheck
from kernelspec.verification.verifier import verify

__all__ = ["Certificate", "EstimatorCheck", "verify"]
