"""The sticky comment on a pull request: one a gate, found again by a hidden marker."""
