"""Checks AL7: faults of kernels."""
