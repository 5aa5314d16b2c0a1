"""The host's services for features: the ports that stand behind the handles of `feature.services`.

Start reading at `provider.py`. Each service looks at the live grant at every use (`authority.py`)
and keeps to its own scope: files of the workspace pass the gate as the model's calls do, state
lives outside the workspace, a secret is never kept, work items are files that survive crashes and
other processes. Must not: hand out anything of the session, or ask a person.
"""
