"""Word lists and tables of names, as data: one format, one parser, each fact once.

The files are in ``data/``; how one looks is reported in :mod:`mt_gate.lexicons.reading`.
"""
