"""Checks AL1: the language of auditctl."""
