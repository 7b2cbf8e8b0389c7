"""The named forms of the language: their arguments and kernels. A form is one file and one line in the catalogue."""
