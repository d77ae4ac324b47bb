// The tarball's types in the oldest and the newest TypeScript that is supported, in every way of finding modules, with
// and without types of the DOM; and what publint and "Are the types wrong?" say of the tarball.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readmeExample } from '../packaging/lib/documents.mjs';
import { fromRoot } from '../packaging/lib/project.mjs';
import { isSame, programs } from '../packaging/types/programs.mjs';
import { errorsIn, writeProject } from '../packaging/types/typescript.mjs';
import { tools } from './lib/processes.mjs';

// Declarations of the package and of its neighbours are checked as well.
const node = { skipLibCheck: false, noUncheckedIndexedAccess: true, lib: ['es2022'] };
const dom = { ...node, lib: ['es2022', 'dom'], types: [] };
const all = { 'readme.mts': readmeExample(), ...programs };

/** By name: the compiler's options, and the programs. */
const settings = {
  'nodenext, DOM and Node': [
    { skipLibCheck: false },
    // TypeScript 5.2 gives `unknown` for calls of headwise/worker that return `this`, or what depends on options.
    Object.keys(all).filter((name) => name !== 'worker.mts'),
  ],
  'node16, no DOM': [
    { ...node, module: 'node16', moduleResolution: 'node16' },
    ['public.mts', 'readme.mts'],
  ],
  'bundler, DOM': [
    { ...dom, module: 'esnext', moduleResolution: 'bundler' },
    ['public.mts', 'view.mts'],
  ],
  'node10, no DOM': [{ ...node, module: 'esnext', moduleResolution: 'node10' }, ['public.mts']],
};

for (const version of ['5.2', '6.0', '7.0']) {
  describe(`TypeScript ${version}`, () => {
    for (const [name, [options, files]] of Object.entries(settings)) {
      if (version === '7.0' && name.startsWith('node10')) continue;
      test(name, async () => {
        const folder = tools('types', `${version} ${name}`.replaceAll(/\W+/g, '-'));
        writeProject(folder, { ...all, 'is.d.ts': isSame });
        // TypeScript 6 deprecates node10, 7 removed it.
        const ignored = version === '6.0' ? { ignoreDeprecations: '6.0' } : {};
        const typescript = tools(`node_modules/typescript-${version}`);
        assert.deepEqual(
          await errorsIn(folder, ['is.d.ts', ...files], { ...options, ...ignored }, typescript),
          [],
        );
      });
    }
  });
}

const { resolve } = createRequire(tools('package.json'));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { name, version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const tarball = new Uint8Array(readFileSync(fromRoot(`build/packed/${name}-${version}.tgz`)));

test('publint has nothing to say', async () => {
  const { publint } = await load('publint');
  const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  assert.deepEqual(messages, []);
});

test('nor has "Are the types wrong?", but that there is no CommonJS', async () => {
  const { checkPackage, createPackageFromTarballData } = await load('@arethetypeswrong/core');
  const { problems } = await checkPackage(createPackageFromTarballData(tarball), {
    // Programs that run in workers export nothing.
    excludeEntrypoints: ['./worker.js', './in-worker-host.js'],
  });
  // Node loads it by `require` from 20.19 and 22.12 on, which TypeScript cannot know of a project.
  const rest = problems.filter(({ kind }) => kind !== 'CJSResolvesToESM');
  assert.deepEqual(rest, []);
  const entries = ['.', './inline', './models', './view', './worker'];
  assert.deepEqual(problems.map(({ entrypoint }) => entrypoint).sort(), entries, 'by require');
});
