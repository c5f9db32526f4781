"""Mutation analysis: damage a checkpoint slightly on purpose, to see which tests detect it."""
