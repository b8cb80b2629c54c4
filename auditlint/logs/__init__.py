"""Audit logs: reading their forms, putting events together, which rule recorded each, what would quiet them."""
