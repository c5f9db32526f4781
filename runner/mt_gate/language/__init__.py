"""Language tools for building suites and for repair: words, phrases, similarity, naturalness.

A run imports nothing from here. ``tools.py`` defines the kinds of tools; the other modules
implement them.
"""
