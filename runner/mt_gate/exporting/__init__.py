"""Hugging Face checkpoints to ONNX; needs torch and transformers (``mt-gate[export]``)."""

DRAFT = ".mt-gate-export-"
"""How the folder begins that an export is written in, beside its ``--out``."""
