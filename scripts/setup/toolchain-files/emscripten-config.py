# Made by headwise's scripts/setup.sh. Emscripten reads it as Python.
import os

from tools.utils import path_from_root

LLVM_ROOT = '/usr/lib/llvm-19/bin'
LLVM_ADD_VERSION = ''
CLANG_ADD_VERSION = ''
BINARYEN_ROOT = os.path.realpath(path_from_root('../npm/node_modules/binaryen'))
NODE_JS = ['node']
FROZEN_CACHE = True
