# Made by headwise's scripts/setup.mjs. Emscripten reads it as Python.
import os

from tools.utils import path_from_root

root = os.path.realpath(path_from_root())

LLVM_ROOT = '/usr/lib/llvm-19/bin'
LLVM_ADD_VERSION = ''
CLANG_ADD_VERSION = ''
BINARYEN_ROOT = os.path.join(os.path.dirname(root), 'binaryen')
NODE_JS = ['node', '--require', os.path.join(root, 'relaxed-simd.cjs')]
FROZEN_CACHE = True
