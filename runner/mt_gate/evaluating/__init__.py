"""Labelled evaluation: how often a system is right, next to how often it violates relations."""
