import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output } from './child.mjs';

const hasNumPy = (python) => spawnSync(python, ['-c', 'import numpy']).status === 0;

function findPython() {
  const python = ['/usr/bin/python3', 'python3'].find(hasNumPy);
  if (python) return python;
  throw new Error('no Python has NumPy; `scripts/setup.sh` says what the tests need');
}

/** Runs a Python program, which finds NumPy, in a folder of its own, and gives what it printed as JSON. */
export const runPython = (program, folder) =>
  JSON.parse(output(findPython(), ['-c', program, folder]));

/** A folder for the files of a test. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'headwise-python-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
