# shellcheck shell=bash
# Sets up everything that a command of bin/ needs; does nothing if it is already set up.
#
#   source "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"
#   set_up_packages   the system's packages: LLVM and MLIR 22, a C++ compiler, tools
#   set_up_aarch64    packages that run the tests of code for AArch64 on another machine
#   set_up_venv       .venv with the Python packages of requirements-dev.txt
#   set_up_build      build/ with the extension module, tilewright-opt and the unit tests
#
# Settings: TILEWRIGHT_PYTHON chooses the Python that .venv is made with.

set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
LLVM=/usr/lib/llvm-22
VENV="$ROOT/.venv"
BUILD="$ROOT/build"
STARTED=$SECONDS
CONFIGURE_ARGUMENTS=()

PACKAGES=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22 lld-22 liblld-22-dev libzstd-dev zlib1g-dev libboost-context-dev
  clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev libgtest-dev ccache g++ git ca-certificates
  python3 python3-dev python3-venv
)

say() { printf '\n[%4ds] %s\n' $((SECONDS - STARTED)) "$*"; }
die() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }

# The packages among the arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed$' || echo "$package"
  done
}

# Where the system has no package for MLIR 22, LLVM's own archive provides it.
add_llvm_archive() {
  local codename
  codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
  [ -n "$codename" ] || die "this system has no package libmlir-22-dev and no known code name: install LLVM and MLIR 22 in $LLVM"
  say "Adding LLVM's package archive for $codename"
  apt install -y --no-install-recommends ca-certificates curl
  as_root mkdir -p /etc/apt/keyrings
  as_root curl -fsSL --retry 3 -o /etc/apt/keyrings/apt.llvm.org.asc https://apt.llvm.org/llvm-snapshot.gpg.key
  echo "deb [signed-by=/etc/apt/keyrings/apt.llvm.org.asc] https://apt.llvm.org/$codename/ llvm-toolchain-$codename-22 main" |
    as_root tee /etc/apt/sources.list.d/llvm-22.list >/dev/null
  apt update
}

set_up_packages() {
  if ! command -v apt-get >/dev/null; then
    [ -e "$LLVM/lib/cmake/mlir/MLIRConfig.cmake" ] || die "there is no apt-get: install LLVM and MLIR 22 in $LLVM first"
    return
  fi
  local missing
  missing="$(missing_packages "${PACKAGES[@]}")"
  [ -n "$missing" ] || return 0
  say "Installing packages: $(echo $missing)"
  apt update || say "Not all package lists could be refreshed; continuing with the existing ones"
  apt-cache show libmlir-22-dev >/dev/null 2>&1 || add_llvm_archive
  # shellcheck disable=SC2086
  apt install -y --no-install-recommends $missing
}

# Without them these tests are skipped, with the reason. They are 30 MB to download and take ten seconds.
set_up_aarch64() {
  command -v apt-get >/dev/null && [ "$(uname -m)" != aarch64 ] || return 0
  local packages=(qemu-user libc6-dev-arm64-cross) library
  [ -n "$(missing_packages "${packages[@]}")" ] || return 0
  say "Installing packages for tests of AArch64"
  apt update || say "Not all package lists could be refreshed; continuing with the existing ones"
  library="$(apt-cache --names-only search '^libstdc\+\+-[0-9]+-dev-arm64-cross$' | cut -d ' ' -f 1 | sort -V | tail -1)"
  apt install -y --no-install-recommends "${packages[@]}" ${library:+"$library"} ||
    say "They could not be installed; the tests will be skipped"
}

# Whether a Python can create a virtual environment and has the headers that the extension needs.
python_is_usable() {
  "$1" - >/dev/null 2>&1 <<'PYTHON'
import ensurepip, os, sys, sysconfig, venv
usable = (3, 10) <= sys.version_info[:2] <= (3, 13)
sys.exit(not (usable and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))))
PYTHON
}

# 3.11 comes first because PyTorch's CPU build is most widely available for it.
find_python() {
  local candidate
  for candidate in ${TILEWRIGHT_PYTHON:-} python3.11 python3.12 python3.13 python3.10 python3; do
    if command -v "$candidate" >/dev/null && python_is_usable "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  die "found no Python 3.10 to 3.13 with venv and headers; set TILEWRIGHT_PYTHON"
}

# Tests and benchmarks compare with PyTorch. Only its CPU build is installed, because the others are
# several gigabytes large. Without PyTorch the comparisons are skipped, with the reason.
install_torch() {
  "$VENV/bin/python" -m pip install -qq --only-binary :all: -r "$ROOT/requirements-torch.txt" && return
  say "pip's package indexes have no CPU build of PyTorch for this Python;"
  echo "        comparisons with PyTorch are skipped. To run them, install PyTorch into .venv by hand."
}

set_up_venv() {
  local stamp="$VENV/.tilewright-stamp" wanted
  wanted="$(cat "$ROOT"/requirements-*.txt <(echo "$ROOT") | sha256sum)"
  if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    if ! "$VENV/bin/python" -c "" 2>/dev/null; then
      local python
      python="$(find_python)"
      say "Creating .venv with $("$python" --version)"
      rm -rf "$VENV"
      "$python" -m venv "$VENV"
    fi
    say "Installing Python packages into .venv (a minute or two)"
    "$VENV/bin/python" -m pip install -qq --disable-pip-version-check -r "$ROOT/requirements-dev.txt"
    install_torch
    # .venv imports the package from the working tree, so changes of Python files need no installation.
    local packages
    packages="$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    echo "$ROOT/python" >"$packages/tilewright-dev.pth"
    cp "$ROOT/python/tilewright_compat.pth" "$packages"
    printf '#!%s\nimport sys\n\nfrom tilewright.cli import main\n\nsys.exit(main())\n' "$VENV/bin/python" >"$VENV/bin/tilewright"
    chmod +x "$VENV/bin/tilewright"
    echo "$wanted" >"$stamp"
  fi
  export PATH="$VENV/bin:$PATH" VIRTUAL_ENV="$VENV"
  unset PYTHONHOME
}

configure() {
  local stamp="$BUILD/.tilewright-stamp" wanted
  wanted="$("$VENV/bin/python" -c 'import sys; print(sys.version, sys.prefix)') $("$VENV/bin/cmake" --version | head -1) $ROOT"
  if [ -e "$BUILD/build.ninja" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return; fi
  say "Configuring build/"
  local launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  "$VENV/bin/cmake" -S "$ROOT" -B "$BUILD" -G Ninja --log-level=WARNING \
    -DPython_EXECUTABLE="$VENV/bin/python" -DCMAKE_MAKE_PROGRAM="$VENV/bin/ninja" "${launcher[@]}" \
    "${CONFIGURE_ARGUMENTS[@]}" >/dev/null
  echo "$wanted" >"$stamp"
}

set_up_build() {
  configure
  # Without these settings ccache does not reuse objects compiled against the precompiled header.
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  export NINJA_STATUS='        [%f/%t %es] '
  if [ "$("$VENV/bin/ninja" -C "$BUILD" -n "$@" | tail -1)" != "ninja: no work to do." ]; then
    say "Building the compiler (about ten minutes from scratch on two cores, seconds after a change)"
    "$VENV/bin/ninja" -C "$BUILD" "$@"
  fi
}
