// Arguments that act or change while a call reads them, see lib/hostile-trials.mjs. Each call in a process of its own,
// whose memory is spoilt if it does worse than it must.
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { output } from '../lib/child.mjs';
import { calls } from '../lib/hostile-calls.mjs';

const program = fileURLToPath(new URL('../lib/hostile-trials.mjs', import.meta.url));

// With it, Node 20 may read the old length of an array that was detached.
const flags = ['--no-turbofan'];

for (const name of Object.keys(calls)) {
  test(`hostile arguments: ${name}`, () => {
    output(process.execPath, [...flags, program, name]);
  });
}
