"""The host's services for features: the ports that stand behind the handles of `feature.services`.

Start reading at `provider.py`. Each service looks at the live grant at every use (`authority.py`)
and keeps to its own scope: files of the workspace pass the gate as the model's calls do, state
lives outside the workspace, a secret is never kept, work items are files that survive crashes and
other processes. The session is reached through `SessionReach` (`roots.py`) alone, in the feature's
name. Must not: hand out anything of the session, or ask a person by themselves.
"""
