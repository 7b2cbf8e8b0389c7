"""Criteria for the dimensions in which f(‖x − y‖) is positive definite, for a formula f."""
