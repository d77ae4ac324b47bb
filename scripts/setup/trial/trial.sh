#!/bin/sh
# Links a module as the build does, in the working folder, by the Emscripten whose folder is given,
# and runs it. The last line that a failure prints is its reason.
set -e
here=$(dirname "$(readlink -f "$0")")
# Node 20 has relaxed SIMD behind a flag.
export NODE_OPTIONS="--require=\"$here/../toolchain-files/relaxed-simd.cjs\""
flags='-std=c++20 -Oz -DNDEBUG -flto -mbulk-memory -fwasm-exceptions -msimd128 -mrelaxed-simd'
[ -n "$1" ]
for part in embind kernel; do "$1/em++" $flags -c "$here/$part.cpp" -o "$part.o"; done
"$1/em++" kernel.o embind.o "@$here/link_flags.txt" -o trial.js
"${NODE:-node}" "$here/run.mjs" trial.js trial.wasm
