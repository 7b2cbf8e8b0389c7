"""Data files as streams of blocks, and feature files that are whole or not there at all.

A format is one file; memory is bounded by a block, whatever the number of rows.
May import: numerics, tables.
"""

from kernelspec.files.atomic import atomic_path, write_bytes_atomically
from kernelspec.files.blocks import Block
from kernelspec.files.feature_writer import FeatureWriter
from kernelspec.files.readers import open_table
from kernelspec.files.table_reader import TableReader
from kernelspec.files.writers import create_features

__all__ = [
    "Block",
    "FeatureWriter",
    "TableReader",
    "atomic_path",
    "create_features",
    "open_table",
    "write_bytes_atomically",
]
