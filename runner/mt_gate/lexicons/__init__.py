"""Word lists and tables of names, as data: one format, one parser, each fact once.

The files are in ``data/``; :mod:`mt_gate.lexicons.reading` describes their format.
"""
