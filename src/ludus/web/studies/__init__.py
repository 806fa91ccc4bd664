"""Studies: what people analysed and keep, with variations, comments and drawings."""
