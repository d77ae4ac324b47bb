// The tarball as tools see it that know how packages go wrong. Needs build/matrix/types and build/packed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { matrixFolder } from '../../../scripts/lib/matrix.mjs';
import { packedFolder, tarball } from '../../../scripts/lib/packed.mjs';

const installed = createRequire(fromRoot(matrixFolder('types'), 'package.json'));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const packed = () => new Uint8Array(readFileSync(fromRoot(packedFolder, tarball())));

test('publint has nothing to say', async () => {
  const { publint } = await load('publint');
  const { messages } = await publint({ pack: { tarball: packed().buffer }, strict: true });
  assert.deepEqual(messages, []);
});

test('nor has "Are the types wrong?", but that there is no CommonJS', async () => {
  const { checkPackage, createPackageFromTarballData } = await load('@arethetypeswrong/core');
  const { problems } = await checkPackage(createPackageFromTarballData(packed()), {
    // Programs of workers, of which nothing is imported.
    excludeEntrypoints: ['./worker.js', './in-worker-host.js'],
  });
  // Node loads it by `require` from 20.19 and 22.12 on, which TypeScript cannot know of a project.
  const rest = problems.filter(({ kind }) => kind !== 'CJSResolvesToESM');
  assert.deepEqual(rest, []);
  const entries = ['.', './inline', './models', './view', './worker'];
  assert.deepEqual(problems.map(({ entrypoint }) => entrypoint).sort(), entries, 'by require');
});
