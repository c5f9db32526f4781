"""Labelled evaluation: how often a system is right, beside how often it violates relations."""
