"""Landmarks: rows of the data that explain most of a kernel, so that samples only have to correct it."""
