"""`python -m induscode` is `indus`."""

import sys

# Python puts the working directory first on its path, where a repository's own modules would be
# found in place of real ones: nothing of a workspace runs before it was trusted, and not then.
if not sys.flags.safe_path:
    del sys.path[0]

from induscode.entry import main

sys.exit(main())
