"""Repair of a recogniser's answers without its weights, from the groups that a run violated.

TIN (ESEC/FSE 2023), section 3.5. ``repair.py`` is the whole command, top to
bottom; nothing here is imported by a run.
"""
