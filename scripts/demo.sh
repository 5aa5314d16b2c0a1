#!/bin/sh
# The main job on a real model that runs on this machine: read a file with a tool, answer, prove it.
# Usage: scripts/demo.sh INDUS, from the top of the repository. Leaves nothing behind.
set -eu

indus=$1
project=examples/sample-project
prompt='Read README.md and tell me what this project is.'
INDUS_HOME=$(mktemp -d)
export INDUS_HOME
trap 'rm -rf "$INDUS_HOME"' EXIT

step() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n\n' "$1"; else printf '\n%s\n\n' "$1"; fi
}

printf 'A real, tiny model on this machine looks at a small project. %s/README.md says:\n\n' "$project"
sed 's/^/    /' "$project/README.md"

step "1. indus -p \"$prompt\" -m local/smollm2"
"$indus" -p "$prompt" -m local/smollm2 --cwd "$project" </dev/null

step '2. Where did the model see it? indus why last --find "garden seeds"'
"$indus" why last --find 'garden seeds' --cwd "$project"

step '3. Is what the model was given what the log says? indus replay last'
"$indus" replay last --cwd "$project"

printf '\nThis model is tiny (docs/local-model.md). A guided tour of the product: %s demo\n' "$indus"
