// THIRD_PARTY.md lists third-party code with its licences. Needs dist/ and build/page.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { rolldown } from 'rolldown';
import { loadConfigFromFile, build as vite } from 'vite';
import { filesIn, fromRoot } from '../lib/project.mjs';

const read = (path) => readFileSync(fromRoot(path), 'utf8');
const text = read('THIRD_PARTY.md');

const entries = [...text.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)]
  .map(([, name, shipsIn, licence, copyright]) => ({
    ...{ name, shipsIn: shipsIn.split(', '), licence, copyright },
  }))
  .slice(2);

const entriesOf = (place) =>
  entries
    .filter(({ shipsIn }) => shipsIn.includes(place))
    .map(({ name }) => name)
    .sort();

/** The npm package that a module comes from; null for those of this project. */
function packageOf(id) {
  const folder = id.split('node_modules/').slice(1).at(-1);
  if (folder) return /^(?:@[^/]+\/)?[^/]+/.exec(folder)[0];
  // Code of the bundler itself has no file.
  const madeBy = /^\0(?:(vite|rolldown)\/)?/.exec(id);
  if (madeBy && !madeBy[1]) throw new Error(`no package known for ${JSON.stringify(id)}`);
  return madeBy?.[1] ?? null;
}
const packagesOf = (ids) => [...new Set(ids.map(packageOf).filter(Boolean))].sort();

/** By the source maps of dist/. */
function bundledInPackage() {
  const maps = filesIn(fromRoot('dist')).filter((path) => path.endsWith('.js.map'));
  assert.ok(maps.length > 0);
  return packagesOf(maps.flatMap((map) => JSON.parse(read(`dist/${map}`)).sources));
}

const modulesOf = (output) =>
  Object.values(output)
    .filter(({ type }) => type === 'chunk')
    .flatMap(({ modules }) => Object.entries(modules))
    // Unused modules are not in the bundle.
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => id);

/**
 * Builds the page once more, with its workers and its service worker, but writes nothing. Files of the package bring
 * what they were bundled from.
 */
async function bundledInPage() {
  const file = fromRoot('web/vite.config.ts');
  const { config } = await loadConfigFromFile({ command: 'build', mode: 'production' }, file);
  const found = [];
  const collect = {
    name: 'collect',
    generateBundle: (_options, output) => void found.push(...modulesOf(output)),
  };
  const ofWorkers = config.worker.plugins;
  await vite({
    ...config,
    configFile: false,
    logLevel: 'warn',
    build: { ...config.build, write: false },
    worker: { ...config.worker, plugins: () => [...ofWorkers(), collect] },
    plugins: [...config.plugins.flat().filter(({ name }) => !name.includes('serwist')), collect],
  });
  const bundle = await rolldown({ input: fromRoot('web/service-worker/service-worker.ts') });
  const worker = modulesOf((await bundle.generate()).output);
  assert.ok(found.some((id) => id.endsWith('model-worker.ts')) && worker.length >= 2);
  return [...new Set([...packagesOf([...found, ...worker]), ...bundledInPackage()])].sort();
}

test('entries are exactly what the npm package and the page bundle', async () => {
  const places = new Set(entries.flatMap(({ shipsIn }) => shipsIn));
  assert.deepEqual([...places].sort(), ['WebAssembly', 'native', 'npm package', 'page']);
  assert.deepEqual(entriesOf('npm package'), bundledInPackage());
  assert.deepEqual(entriesOf('page'), await bundledInPage());
});

/** The libraries whose headers C++ files of a folder include, by the first folder of their path. */
const included = (folder) => {
  const found = filesIn(fromRoot(folder))
    .filter((file) => /\.[ch]pp$/.test(file))
    .flatMap((file) => [
      ...read(`${folder}/${file}`).matchAll(/^\s*#\s*include [<"](\w+)\/.*[>"]/gm),
    ])
    .map(([, library]) => library);
  return [...new Set(found)].filter((name) => name !== 'headwise').sort();
};

test('what the C++ sources include has an entry', () => {
  // xtl comes with xtensor.
  assert.deepEqual([...included('src'), 'xtl'].sort(), entriesOf('native'));
  const all = [...included('src'), ...included('bindings')];
  assert.ok(all.includes('emscripten'));
  const missing = all.filter((name) => !entriesOf('WebAssembly').includes(name));
  assert.deepEqual(missing, []);
});

test('the page is deployed with its licences, which no visit loads', () => {
  for (const file of ['LICENSE', 'THIRD_PARTY.md']) {
    assert.equal(read(`build/page/${file}`), read(file));
    assert.ok(!read('build/page/service-worker.js').includes(file));
  }
});

/** Without list markers, and with single spaces. */
const words = (licence) =>
  licence
    .replaceAll(/^\s*(?:\*|\d\.) /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const titles =
  /^(?:# Vite core license|Vite is released under the MIT license:|MIT License|ISC License.*|BSD 3-Clause License)$/;
const isCopyright = (line) => /^\s*Copyright (?:\d|\(c\) |© )/.test(line);
const ownLicence = words(read('LICENSE'));
const apache = ownLicence.slice(0, ownLicence.indexOf('END OF TERMS AND CONDITIONS'));
const told = words(
  text
    .split('\n')
    .filter((line) => !line.startsWith('```') && !isCopyright(line))
    .join('\n'),
);

/** Parts of a licence that are neither in THIRD_PARTY.md nor in LICENSE. */
function missingOf(licence, copyrightTold) {
  const lines = licence.split('\n').filter((line) => !titles.test(line.trim()));
  const rest = lines
    .filter((line) => !isCopyright(line) && line.trim() !== 'All rights reserved.')
    .join('\n');
  return [
    ...lines
      .filter(isCopyright)
      .map((line) => words(line).replace(/ All rights.*/, ''))
      .filter((line) => !words(copyrightTold).includes(line)),
    ...[words(rest)].filter((part) => !told.includes(part) && !part.startsWith(apache)),
  ];
}

test('the licence of each npm package is included word for word', () => {
  for (const name of new Set([...entriesOf('npm package'), ...entriesOf('page')])) {
    const { licence, copyright } = entries.find((entry) => entry.name === name);
    const folder = `node_modules/${name}`;
    const manifest = JSON.parse(read(`${folder}/package.json`));
    assert.ok(licence.startsWith(`[${manifest.license}]`), `${name}: ${manifest.license}`);
    const file = readdirSync(fromRoot(folder)).find((each) => /^licen[cs]e/i.test(each));
    assert.ok(file, `${name} has no licence`);
    // Pages contain only Vite's and Rolldown's own code, none of their dependencies.
    const [own] = read(`${folder}/${file}`).split(
      /^(?:# Licenses of bundled dependencies|end of terms and conditions)$/m,
    );
    assert.deepEqual(missingOf(own, copyright), [], name);
  }
});
