"""What the verbs do that need much: a module each, imported when its verb runs, so that help pages need none of it."""
