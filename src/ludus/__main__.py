"""`python -m ludus` is the command `ludus`."""

import sys

from ludus.cli import main

sys.exit(main())
