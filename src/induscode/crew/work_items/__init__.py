"""`builtin:work-item`: small records of what is to be done, shared by everybody in a workspace.

Start reading at `feature.py`. `ledger.py` is the one state that its tools, its hook and its watcher
share; the records themselves are in the host's store.
"""

from __future__ import annotations

from induscode.crew.work_items.feature import work_item_feature

__all__ = ["work_item_feature"]
