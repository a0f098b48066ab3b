# Sourced by the scripts beside it: says in one sentence what is missing.
need_java_and_maven() {
  local version
  if ! command -v java >/dev/null 2>&1 || ! version=$(java -version 2>&1); then
    echo "$0: a JDK, version 17 or newer, is needed and java is not on the PATH." >&2
    exit 1
  fi
  version=$(echo "$version" | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -1)
  if [ "${version:-0}" -lt 17 ]; then
    echo "$0: a JDK, version 17 or newer, is needed and java on the PATH is version ${version:-unknown}." >&2
    exit 1
  fi
  if ! command -v mvn >/dev/null 2>&1; then
    echo "$0: Maven, version 3.8 or newer, is needed and mvn is not on the PATH." >&2
    exit 1
  fi
}
need_java_and_maven

# The harness ends its containers itself, also after Ctrl-C; the helper container that Testcontainers would start for that cannot be fetched everywhere.
export TESTCONTAINERS_RYUK_DISABLED=true
