"""Rules of verdicts, one a file, listed in kernelspec/verdicts/catalogue.py.

May import: what verdicts may.
"""
