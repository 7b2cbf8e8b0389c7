"""The measure algebra: spectral measures and what sums, products, selections and stretches do to them."""
