"""Parsers of relation extraction corpora, each in the form it is published in. No spaCy."""
