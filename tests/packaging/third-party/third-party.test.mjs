// THIRD_PARTY.md names whose code ships, and has their licences. Needs dist/ and
// build/page.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cppFiles, fromRoot } from '../../../scripts/lib/files.mjs';
import { toolchain } from '../../../scripts/lib/toolchain.mjs';
import { bundledInPackage, bundledInPage } from './bundled.mjs';

const text = readFileSync(fromRoot('THIRD_PARTY.md'), 'utf8');

const entries = [...text.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)]
  .map(([, name, shipsIn, licence, copyright]) => ({
    name,
    shipsIn: shipsIn.split(', '),
    licence,
    copyright,
  }))
  .slice(2);

const entriesOf = (place) =>
  entries
    .filter(({ shipsIn }) => shipsIn.includes(place))
    .map(({ name }) => name)
    .sort();

test('each place that an entry names is one of those that ship', () => {
  assert.ok(entries.length > 10, `${entries.length} entries`);
  const places = new Set(entries.flatMap(({ shipsIn }) => shipsIn));
  assert.deepEqual([...places].sort(), ['WebAssembly', 'native', 'npm package', 'page']);
});

test('what is bundled into the npm package has an entry, and nothing else', () => {
  assert.deepEqual(entriesOf('npm package'), bundledInPackage());
});

test('what is bundled into the page has an entry, and nothing else', async () => {
  assert.deepEqual(entriesOf('page'), await bundledInPage());
});

test('a package that the page comes to use is noticed', async () => {
  const one = 'd3-dsv';
  assert.ok(!entriesOf('page').includes(one));
  const more = {
    name: 'more',
    transform: (code, id) =>
      id.endsWith('/app/main.ts')
        ? `import { csvParse } from '${one}';\n${code}\nglobalThis.csvParse = csvParse;\n`
        : null,
  };
  assert.ok((await bundledInPage({ plugins: [more] })).includes(one));
});

/** The libraries whose headers are included, by the first folder of their path. */
const included = (files) => {
  const found = files.flatMap((file) =>
    [...readFileSync(fromRoot(file), 'utf8').matchAll(/^\s*#\s*include [<"](\w+)\/.*[>"]/gm)].map(
      ([, library]) => library,
    ),
  );
  return [...new Set(found)].filter((name) => name !== 'headwise').sort();
};

test('what the C++ sources include has an entry', () => {
  const native = included(cppFiles().filter((file) => file.startsWith('src/')));
  // xtl comes with xtensor.
  assert.deepEqual([...native, 'xtl'].sort(), entriesOf('native'));
  const all = included(cppFiles().filter((file) => /^(?:src|bindings)\//.test(file)));
  assert.ok(all.includes('emscripten'));
  const missing = all.filter((name) => !entriesOf('WebAssembly').includes(name));
  assert.deepEqual(missing, []);
});

test('the page has its licences beside it, which no visit loads', () => {
  for (const file of ['LICENSE', 'THIRD_PARTY.md']) {
    const [beside, own] = [`build/page/${file}`, file].map((path) =>
      readFileSync(fromRoot(path), 'utf8'),
    );
    assert.equal(beside, own);
    assert.ok(!readFileSync(fromRoot('build/page/service-worker.js'), 'utf8').includes(file));
  }
});

/** Without the marks of lists, and all white space alike. */
const words = (licence) =>
  licence
    .replaceAll(/^\s*(?:\*|\d\.) /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const titles =
  /^(?:# Vite core license|Vite is released under the MIT license:|MIT License|ISC License.*|BSD 3-Clause License)$/;
const isTitle = (line) => titles.test(line.trim());
/** What Vite has of others builds pages and is in none: a page gets a function of Vite's own. */
const ownPart = (licence) => licence.split(/^# Licenses of bundled dependencies$/m)[0];
const isCopyright = (line) => /^\s*Copyright (?:\d|\(c\) |© )/.test(line);
const ownLicence = words(readFileSync(fromRoot('LICENSE'), 'utf8'));
const apache = ownLicence.slice(0, ownLicence.indexOf('END OF TERMS AND CONDITIONS'));
const told = words(
  text
    .split('\n')
    .filter((line) => !line.startsWith('```') && !isCopyright(line))
    .join('\n'),
);

/** What of a licence is neither in THIRD_PARTY.md nor in LICENSE. */
function missingOf(licence, copyrightTold) {
  const lines = licence.split('\n').filter((line) => !isTitle(line));
  const copyrights = lines.filter(isCopyright).map((line) => words(line));
  const rest = lines
    .filter((line) => !isCopyright(line) && line.trim() !== 'All rights reserved.')
    .join('\n');
  const isTold = ({ length }, ...texts) =>
    length === 0 || texts.some((each) => told.includes(each));
  const parts = rest.includes('Apache-Style') ? rest.split(/(?=^Apache-Style)/m) : [rest];
  return [
    ...copyrights.filter(
      (line) => !words(copyrightTold).includes(line.replace(/ All rights.*/, '')),
    ),
    ...parts.map(words).filter((part) => !isTold(part, part) && !part.startsWith(apache)),
  ];
}

test('the licence of each npm package is there, to the word', () => {
  const packages = entries.filter(({ shipsIn }) =>
    shipsIn.some((place) => ['npm package', 'page'].includes(place)),
  );
  for (const { name, licence, copyright } of packages) {
    const folder = fromRoot('node_modules', name);
    const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    assert.ok(licence.startsWith(`[${manifest.license}]`), `${name}: ${manifest.license}`);
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    assert.ok(file, `${name} has no licence`);
    const missing = missingOf(ownPart(readFileSync(`${folder}/${file}`, 'utf8')), copyright);
    assert.deepEqual(missing, [], name);
  }
});

const musl = () => `${toolchain().emscriptenRoot}/system/lib/libc/musl/COPYRIGHT`;
test("musl's licence is there", { skip: !existsSync(musl()) && 'no Emscripten' }, () => {
  const [, licence] = readFileSync(musl(), 'utf8').split(/^-{70}$/m);
  const { copyright } = entries.find(({ name }) => name === 'musl');
  assert.deepEqual(missingOf(licence, copyright), []);
});
