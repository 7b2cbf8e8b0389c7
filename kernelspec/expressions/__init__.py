"""Functions of numbers and of pairs of rows: arguments, notation, formulas, in numbers and in symbols."""
