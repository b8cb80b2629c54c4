"""Kernel configurations: reading every form, evaluating by Kconfiglib, saying why."""
