"""Suites made from templates: texts with slots, filled with made-up values that are known."""
