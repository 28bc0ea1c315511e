#!/usr/bin/env bash
# Builds the core with sanitizers and runs tests with it. Findings are printed at the end, because
# the tests capture the output of processes.
#
#   bin/lib/sanitize.sh            all of the following
#   bin/lib/sanitize.sh address    ASan and UBSan over the unit, lit, language and runtime tests
#   bin/lib/sanitize.sh thread     TSan over the unit tests of the runtime and the emulator, launches, and emulated kernels
#   bin/lib/sanitize.sh order      the language tests with random orders of rewrite patterns, without a sanitizer
#
# LLVM's own libraries and the code of kernels are not instrumented.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# These ASan checks would report false positives: a signal handler of the emulator catches kernels' faults, its threads
# are fibers with their own stacks, and Python and LLVM keep memory until the process ends.
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:allow_user_segv_handler=1:use_sigaltstack=0:detect_leaks=0:detect_stack_use_after_return=0:detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1:abort_on_error=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="second_deadlock_stack=1:die_after_fork=0:suppressions=$ROOT/bin/lib/tsan.supp"

TARGETS=cpu,emulator:cuda:80,emulator:cuda:90a+checks
FAILED=0
FINDINGS="$(mktemp -d)"
trap 'rm -rf "$FINDINGS"' EXIT
for OPTIONS in ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS; do export "$OPTIONS=${!OPTIONS}:log_path=$FINDINGS/log"; done

run() {
  say "$*"
  "$@" || FAILED=1
}

# Each process with findings has a file.
show_findings() {
  local file count
  for file in "$FINDINGS"/log.*; do
    count="$(cat "$file" 2>/dev/null | grep -cE 'runtime error:|^WARNING: ThreadSanitizer|ERROR: AddressSanitizer')" || continue
    FAILED=1
    say "$(basename "$file"): $count findings"
    grep -E -A30 'runtime error:|^WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$file" | head -200
  done
}

# build SANITIZERS TARGETS...: builds into a separate folder.
build() {
  BUILD="$ROOT/build/sanitize-${1%%,*}"
  CONFIGURE_ARGUMENTS=(-DTILEWRIGHT_SANITIZE="$1")
  shift
  set_up_build "$@"
}

unit_tests() { find "$BUILD/test/unit" -type f -executable -not -path '*/CMakeFiles/*' -path "*$1*"; }

# python_tests LIBRARY ARGUMENTS...: runs pytest on links to the package, with the instrumented extension module.
python_tests() {
  local library="$1"
  shift
  cp -rsf "$ROOT/python/." "$BUILD/python-links"
  rm -f "$BUILD"/python-links/tilewright/_core*.so
  cp -sf "$BUILD"/python/tilewright/_core*.so "$BUILD/python-links/tilewright/"
  local preload
  preload="$(clang++-22 -print-file-name="$library") $(clang++-22 -print-file-name=libstdc++.so.6)"
  run env LD_PRELOAD="$preload" PYTHONMALLOC=malloc PYTHONPATH="$BUILD/python-links" \
    python -m pytest -q --color=no -p no:cacheprovider "$@"
}

check_address() {
  build address,undefined
  local binary
  for binary in $(unit_tests /); do run "$binary" --gtest_brief=1; done
  run lit --succinct -v "$BUILD/test"
  python_tests libclang_rt.asan-x86_64.so "$ROOT"/test/python/{language,runtime} \
    --targets "$TARGETS"
}

check_thread() {
  build thread _core tilewright-runtime-unit tilewright-emulator-unit
  local binary
  # TSan's memory for each fiber exhausts the mappings of a process in the test that is left out.
  for binary in $(unit_tests /Runtime/) $(unit_tests /Emulator/); do
    run "$binary" --gtest_brief=1 --gtest_filter=-Stacks.ThereAreMoreThanAProcessMayHaveMappings
  done
  python_tests libclang_rt.tsan-x86_64.so "$ROOT"/test/python/runtime/test_launch_*.py \
    "$ROOT"/test/python/emulator/test_no_false_reports.py --targets emulator:cuda:90a+checks
}

# MLIR verifies the IR after each pass, as in every run.
check_order() {
  local seed
  for seed in 1 2 3; do
    run env TILEWRIGHT_REWRITE_SEED=$seed \
      python -m pytest -q --color=no -p no:cacheprovider "$ROOT/test/python/language" --targets "$TARGETS"
  done
}

set_up_packages
set_up_venv
cd "$ROOT" || exit
case "${1:-all}" in
  all) check_address; check_thread; check_order ;;
  address) check_address ;;
  thread) check_thread ;;
  order) check_order ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
show_findings
exit $FAILED
