"""The four games, a folder each: rules, evaluation, reference, looks and data. Nobody keeps a list of them."""
