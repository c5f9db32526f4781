"""Repair predicted entities without the model's weights, using a run's violated groups.

TIN (ESEC/FSE 2023), section 3.5. ``repair.py`` is the command; ``mt-gate run`` does not import it.
"""
