// The package in esbuild, as modules and as a script.
import { test } from 'node:test';
import { assertQuoted, documented, htmlPage, initIn, main, openFolder } from './lib/bundlers.mjs';
import { servesFiles, tryApplication, writeApplication } from './lib/bundlers.mjs';
import { shell } from './lib/processes.mjs';

const [withoutFiles, asModules, withoutPlace, asScript] = documented(
  'esbuild',
  ...['text', 'sh', 'text', 'sh'],
);
const pages = {
  modules: htmlPage('<script type="module" src="main.js"></script>'),
  script: htmlPage('<script src="main.js"></script>'),
};

/** Runs lines of the document in an application, and returns the folder that they fill. */
async function build(name, lines, page) {
  const files = { 'main.js': main, 'dist/index.html': page };
  const folder = writeApplication(`esbuild-${name}`, files);
  await shell(lines.replaceAll('npx ', ''), folder);
  return `${folder}/dist`;
}

tryApplication('esbuild, modules', {
  loadsAll: true,
  serve: servesFiles(() => build('modules', asModules, pages.modules)),
});

tryApplication('esbuild, script', {
  serve: servesFiles(() => build('script', asScript, pages.script)),
});

test('without the files: the error that the document quotes', async (t) => {
  const folder = await build('bare', asModules.replace(/^cp .*$/m, ''), pages.modules);
  const page = await openFolder(t, folder, {}, { mayFail: true });
  assertQuoted(await initIn(page), withoutFiles);
});

test('a script without its define: the error that the document quotes', async (t) => {
  const lines = asScript.replace(/--define:\S+/, '');
  const folder = await build('undefined', lines, pages.script);
  const page = await openFolder(t, folder, {}, { mayFail: true });
  assertQuoted(await initIn(page), withoutPlace);
});
