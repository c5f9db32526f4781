"""Word lists and tables of names, as data: one format, one reader, each fact once.

The files stand in ``data/``; how one looks is reported in :mod:`mt_gate.lexicons.reading`.
"""
