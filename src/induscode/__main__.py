"""`python -m induscode` is `indus`."""

import sys

from induscode.entry import main

sys.exit(main())
