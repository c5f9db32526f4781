"""As much of Flair as the adapter uses; it finds capitalised words."""

__version__ = "0.0"
