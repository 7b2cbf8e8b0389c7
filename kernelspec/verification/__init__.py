"""Test features against their claims: many maps against the exact kernel and the predicted variance.

Tests keep their level for any law; whatever was not judged is reported.
"""

from kernelspec.verification.certificate import Certificate, EstimatorCheck
from kernelspec.verification.verifier import verify

__all__ = ["Certificate", "EstimatorCheck", "verify"]
