"""The measure algebra: spectral measures, and their transformation by sums, products, selections and stretches.

`measure_of` finds the measure of a kernel by rules registered next to the measures.
"""
