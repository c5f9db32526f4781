"""Language tools for building suites and for repair: words, phrases, similarity, naturalness.

``mt-gate run`` does not import this package. ``tools.py`` defines the interfaces of tools; the
other modules implement them.
"""
