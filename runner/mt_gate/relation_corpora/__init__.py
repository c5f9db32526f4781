"""Parsers of relation extraction corpora in their published formats, without spaCy."""
