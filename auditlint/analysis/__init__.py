"""What several checks need to know, each a pure function of a context."""
