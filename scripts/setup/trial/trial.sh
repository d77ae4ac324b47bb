#!/bin/sh
# Links a module as the build does, in the working folder, by the Emscripten whose folder is given,
# and runs it. The last line that a failure prints is its reason.
set -e
here=$(dirname "$(readlink -f "$0")")
# Node 20 has relaxed SIMD behind a flag.
export NODE_OPTIONS="--require=\"$here/../toolchain-files/relaxed-simd.cjs\""
flags='-std=c++20 -Oz -DNDEBUG -DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0 -flto -mbulk-memory
  -fwasm-exceptions -fno-rtti -msimd128 -mrelaxed-simd'
[ -n "$1" ]
for part in embind kernel; do "$1/em++" $flags -c "$here/$part.cpp" -o "$part.o"; done
# By its name and place the linker takes this for Embind's own library.
"$1/emar" rcs libembind.a embind.o
"$1/em++" kernel.o -L. -lembind "@$here/link_flags.txt" -o trial.js
"${NODE:-node}" "$here/run.mjs" trial.js trial.wasm
