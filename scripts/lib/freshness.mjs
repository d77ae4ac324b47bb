// Tells whether what a step makes is still that of its inputs: by content, so that neither a fresh
// clone's times nor a touched file count.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromRoot, listFiles } from './files.mjs';

function fingerprint(paths, facts = {}) {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const path of listFiles(paths)) {
    hash.update(`\0${path}\0`).update(readFileSync(fromRoot(path)));
  }
  return hash.digest('hex');
}

/**
 * The record that a step leaves when it is done.
 *
 * @param {object} made
 * @param {string} made.stamp where the record is kept
 * @param {string[]} made.inputs files and folders it reads
 * @param {string[]} [made.outputs] files and folders it writes, which must still be as it left them
 * @param {object} [made.facts] whatever else it depends on
 */
export function freshness({ stamp, inputs, outputs = [], facts }) {
  const file = fromRoot(stamp);
  const record = () =>
    JSON.stringify({ inputs: fingerprint(inputs, facts), outputs: fingerprint(outputs) });
  return {
    isFresh: () =>
      existsSync(file) &&
      outputs.every((path) => existsSync(fromRoot(path))) &&
      readFileSync(file, 'utf8') === record(),
    /** Called before the work, so that work cut short is not taken for done. */
    forget: () => rmSync(file, { force: true }),
    remember() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, record());
    },
  };
}
