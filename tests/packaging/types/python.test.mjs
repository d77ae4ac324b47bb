// Every example in Python of the documents compiles; PyTorch, Keras and Transformers are not at hand to run them with.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { toolchain } from '../../../scripts/lib/toolchain.mjs';
import { emptyFolder, writeFiles } from './typescript.mjs';

/** What Python says of a file: nothing if it compiles. */
function errorsOf(folder, file) {
  const { python } = toolchain();
  assert.ok(python, 'there is a Python: scripts/setup.sh');
  return spawnSync(python, ['-m', 'py_compile', join(folder, file)], { encoding: 'utf8' }).stderr;
}

const examples = Object.fromEntries(
  listFiles(['docs'], (path) => path.endsWith('.md')).flatMap((document) =>
    [...readFileSync(fromRoot(document), 'utf8').matchAll(/^```python\n(.*?)^```/gms)].map(
      ([, code], i) => [`${document.replaceAll(/\W/g, '_')}_${i + 1}.py`, code],
    ),
  ),
);

test('examples in Python compile', () => {
  const folder = emptyFolder('python-examples');
  const files = writeFiles(folder, examples);
  assert.ok(files.length >= 4, `${files.length} examples`);
  for (const file of files) assert.equal(errorsOf(folder, file), '', file);
});

test('one that is wrong does not', () => {
  const folder = emptyFolder('wrong-python');
  const [file] = writeFiles(folder, { 'wrong.py': 'def f(:\n' });
  assert.match(errorsOf(folder, file), /SyntaxError/);
});
