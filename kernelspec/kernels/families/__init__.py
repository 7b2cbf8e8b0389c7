"""What kernels of one kind share: functions of the distance, products over the columns, inner products.

A kernel of the catalogue states the rest.
May import: what kernels may.
"""
