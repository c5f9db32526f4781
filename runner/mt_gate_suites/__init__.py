"""Build, read and audit suites. ``mt_gate`` never imports it.

``command.py`` is ``mt-gate suite``; ``builder_api.py`` says which code builds which relation.
"""
