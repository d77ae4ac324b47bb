// Every example in JavaScript compiles under TypeScript's strict mode as it stands, those of documents as TypeScript,
// against the installed tarball's types. Needs build/packed.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { documentsRun } from '../../../scripts/lib/packed.mjs';
import { emptyFolder, errorsIn, writeFiles } from './typescript.mjs';

const documents = ['README.md', ...listFiles(['docs'], (path) => path.endsWith('.md'))];

/** Configurations of tools that are installed for the matrix alone, which builds with them. */
const isOfMatrix = (code) => /from '(?:@rollup\/|jest|vitest)/.test(code);

/** Examples of a document, whichever way they are marked. */
const examplesIn = (document) =>
  [
    ...readFileSync(fromRoot(document), 'utf8').matchAll(
      /^```(?:js|javascript|mjs|ts|typescript)\n(.*?)^```/gms,
    ),
  ]
    .map(([, code]) => code)
    .filter((code) => !isOfMatrix(code));

test('examples in documents and examples/ compile under strict', () => {
  const folder = emptyFolder('compiled-examples');
  const snippets = documents.flatMap((document) =>
    examplesIn(document).map((code, i) => [
      `${document.replaceAll(/\W/g, '-')}-${i + 1}.mts`,
      code,
    ]),
  );
  assert.ok(snippets.length >= 4);
  const files = writeFiles(folder, Object.fromEntries(snippets));
  cpSync(fromRoot('examples'), join(folder, 'examples'), { recursive: true });
  const programs = listFiles(['examples'], (path) => /\.m?[jt]s$/.test(path));
  assert.ok(programs.length >= 2);
  assert.equal(errorsIn(folder, [...files, ...programs]), '');
});

test('every document with examples that import headwise has them run', () => {
  // Those of tools are run by tests/matrix, as each tool has them.
  const ofTools = ['docs/bundlers.md', 'docs/runtimes.md'];
  const missing = documents.filter(
    (document) =>
      ![...documentsRun, ...ofTools, 'README.md'].includes(document) &&
      examplesIn(document).some((code) => /from 'headwise/.test(code)),
  );
  assert.deepEqual(missing, []);
});

test('an example with a type error does not', () => {
  const folder = emptyFolder('wrong-example');
  const text = "import { Tensor } from 'headwise';\nTensor.ones('2');\n";
  const files = writeFiles(folder, { 'wrong.mts': text });
  assert.match(errorsIn(folder, files), /^wrong\.mts\(2,13\): error TS2345/);
});
