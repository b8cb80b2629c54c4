"""Values that every floor above speaks in: sources, findings, targets, facts, settings, errors; the shipped tables."""
