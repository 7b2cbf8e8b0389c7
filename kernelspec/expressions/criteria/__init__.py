"""For which numbers of columns f(‖x − y‖) is positive definite: criteria for formulas."""
