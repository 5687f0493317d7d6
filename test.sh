#!/usr/bin/env bash
# Installs what is missing (Debian 12 and 13, Ubuntu 24.04), builds, and runs every test. Arguments go to ctest: ./test.sh -R sim
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/setup.sh
setup ON all "${TEST_PACKAGES[@]}"
exec scripts/run_tests.sh build "$@"
