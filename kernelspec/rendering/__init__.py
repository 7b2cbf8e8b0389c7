"""How things are shown in notebooks and in one line: tables in HTML and LaTeX, coloured specs, quoted text.

Text and pairs of text come in, text goes out: what a spec, a plan or a certificate has to say, it says itself.
"""
