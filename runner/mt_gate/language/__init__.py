"""Language tools for building suites and for repair: words, phrases, likeness, naturalness.

Nothing here is imported by a run. ``tools.py`` says what each kind of tool
does; the other modules are kinds of it.
"""
