import { spawnSync } from 'node:child_process';
import { output } from './child.mjs';

const hasNumPy = (python) => spawnSync(python, ['-c', 'import numpy']).status === 0;

function findPython() {
  const python = ['/usr/bin/python3', 'python3'].find(hasNumPy);
  if (python) return python;
  throw new Error('no Python has NumPy; `scripts/setup.sh` says what the tests need');
}

/** Runs a Python program that needs NumPy, with these arguments, and parses the JSON that it prints. */
export const runPython = (program, ...args) =>
  JSON.parse(output(findPython(), ['-c', program, ...args]));
