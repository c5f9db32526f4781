"""Hugging Face checkpoints to ONNX; needs torch and transformers (``mt-gate[export]``)."""
