// Tells whether what a step made, or found right, is still that of its inputs: by content, so that
// neither a fresh clone's times nor a touched file count.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromRoot, listFiles } from './files.mjs';

/** Of files that several steps read, so that each is read once a run. */
const hashes = new Map();

function hashOf(path) {
  const { size, mtimeMs, ctimeMs } = statSync(fromRoot(path));
  const key = `${path}\0${size}\0${mtimeMs}\0${ctimeMs}`;
  if (!hashes.has(key)) {
    hashes.set(
      key,
      createHash('sha256')
        .update(readFileSync(fromRoot(path)))
        .digest('hex'),
    );
  }
  return hashes.get(key);
}

const resultOf = (given) => (typeof given === 'function' ? given() : given);

function fingerprint(paths, facts = {}) {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const path of listFiles(paths)) hash.update(`\0${path}\0${hashOf(path)}`);
  return hash.digest('hex');
}

/**
 * The record that a step leaves when it is done.
 *
 * @param {object} made
 * @param {string} made.stamp where the record is kept
 * @param {string[] | (() => string[])} made.inputs files and folders it reads
 * @param {string[]} [made.outputs] files and folders it writes, which must still be as it left them
 * @param {object | (() => object)} [made.facts] whatever else it depends on
 */
export function freshness({ stamp, inputs, outputs = [], facts }) {
  const file = fromRoot(stamp);
  // As they are before the work: what is changed meanwhile, it has not seen.
  const given = fingerprint(resultOf(inputs), resultOf(facts));
  const record = () => JSON.stringify({ inputs: given, outputs: fingerprint(outputs) });
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
