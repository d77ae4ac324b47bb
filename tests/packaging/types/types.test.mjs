// Types of names, results and options of the installed tarball. Needs build/packed/project.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { project } from '../lib/project.mjs';
import { frameworks, isSame, programs } from './programs.mjs';
import { errorsIn, writeProject } from './typescript.mjs';

const folder = `${project}/types`;
writeProject(folder, { ...programs, 'is.d.ts': isSame });
const all = Object.keys(programs);

for (const [name, files, options] of [
  ['nodenext', all, {}],
  ['a bundler', all, { module: 'esnext', moduleResolution: 'bundler' }],
  ['no DOM', ['public.mts'], { lib: ['es2022'] }],
]) {
  test(`names, results and options have their types: ${name}`, async () => {
    assert.deepEqual(
      await errorsIn(folder, ['is.d.ts', ...files], { skipLibCheck: true, ...options }),
      [],
    );
  });
}

for (const [name, text] of Object.entries(frameworks)) {
  test(`${name} has types for <attention-heads>`, async () => {
    const own = `${folder}-${name}`;
    writeProject(own, { 'index.d.ts': text.types, 'used.tsx': text.used });
    const paths = { [name]: ['./index.d.ts'], [`${name}/jsx-runtime`]: ['./index.d.ts'] };
    const options = { types: [], jsx: 'react-jsx', jsxImportSource: name, paths };
    assert.deepEqual(await errorsIn(own, ['used.tsx'], { ...options, skipLibCheck: true }), []);
  });
}
