#!/usr/bin/env bash
# The hook of .pre-commit-hooks.yaml: runs `antefix` of the path, else the one that is built of this clone, once.
# pre-commit's own way with cargo needs a package at the root of a repository, and ours is a workspace.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
if command -v antefix > /dev/null; then
  exec antefix "$@"
fi
if [ ! -x "$here/.installed/bin/antefix" ]; then
  echo "building antefix; this happens once" >&2
  cargo install --quiet --locked --path "$here/crates/antefix-cli" --root "$here/.installed" >&2
fi
exec "$here/.installed/bin/antefix" "$@"
