// What the types of the installed tarball say of results and options. Needs build/packed.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { programs } from './programs.mjs';
import { emptyFolder, errorsIn, writeFiles } from './typescript.mjs';

let errors;
before(() => {
  const folder = emptyFolder('types');
  const names = writeFiles(folder, programs);
  errors = errorsIn(folder, names, { skipLibCheck: true }).split('\n');
});

for (const name of Object.keys(programs)) {
  test(`types of results and options: ${name}`, () => {
    assert.deepEqual(
      errors.filter((line) => line.startsWith(name)),
      [],
    );
  });
}

test('and whatever else TypeScript has to say', () => {
  assert.deepEqual(
    errors.filter((line) => line !== ''),
    [],
  );
});
