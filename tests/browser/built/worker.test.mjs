// How the files of the worker depend on each other.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';

test('no file imports from the one that a worker is started with, which WebKit would run once more', () => {
  const scripts = listFiles(['build/page/assets'], (file) => file.endsWith('.js')).map((file) => ({
    name: basename(file),
    code: readFileSync(fromRoot(file), 'utf8'),
  }));
  const [entry, ...others] = scripts.filter(({ name }) => name.startsWith('model-worker-'));
  assert.ok(entry && others.length === 0, scripts.map(({ name }) => name).join());
  // The page, which starts it, names it without the folder that an import begins with.
  const importers = scripts.filter(({ code }) => code.includes(`./${entry.name}`));
  assert.deepEqual(
    importers.map(({ name }) => name),
    [],
  );
});
