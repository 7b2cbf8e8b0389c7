"""The named forms of the language, one a file: what they take, and the kernel they stand for.

A form is one file and one line in the catalogue.
"""
