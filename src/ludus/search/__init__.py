"""Search and analysis: what a position is worth, by the native engine or by searches in Python."""
