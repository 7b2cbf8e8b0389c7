"""Tests of kernelspec.maps.engines."""
