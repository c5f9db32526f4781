"""Labelled evaluation: accuracy of a system, compared with its violation rates."""
