"""mt-gate: a CI gate that compares metamorphic violation rates of NLP checkpoints."""

__version__ = "0.1.0"
