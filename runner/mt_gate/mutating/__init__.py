"""Mutation analysis: small damage done to a checkpoint on purpose, and who notices."""
