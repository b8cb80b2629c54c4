"""The checks: one module each, named after the check, in folders by family."""
