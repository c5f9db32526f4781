"""Faults of a checkpoint, what each costs on labels, and which of them the gate finds."""
