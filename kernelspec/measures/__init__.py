"""The measure algebra: spectral measures and what sums, products, selections and stretches do to them.

`measure_of` finds the measure of a kernel by rules that stand beside the measures.
"""
