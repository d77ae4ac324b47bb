// The built documentation site: where its links lead, and how it is to see and to use. Needs build/docs.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import test from 'node:test';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { ofColours, violations } from '../lib/axe.mjs';
import { fitsAcross } from '../lib/pages.mjs';
import { serveFolder } from '../lib/server.mjs';
import { openTab, shared } from '../lib/shared.mjs';

const folder = 'build/docs';
const read = (path) => readFileSync(fromRoot(path), 'utf8');
/** The guides. TypeDoc and Doxygen write the pages of the references, and check their links themselves. */
const pages = listFiles([folder], (path) => /^build\/docs\/(guides\/)?[^/]+\.html$/.test(path));
const home = read(`${folder}/index.html`);

const decoded = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'));
const linksOf = (html) =>
  [...html.matchAll(/<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(
    ([, link]) => link,
  );

const files = new Set(listFiles([folder]));

/** The file that the site's host answers with, or undefined. */
const fileAt = (path) =>
  [path, `${path}/index.html`]
    .map((file) => posix.join(folder, decoded(file)))
    .find((file) => files.has(file));

const hasId = (file, id) =>
  [...read(file).matchAll(/\sid="([^"]*)"/g)].some(([, found]) => decoded(found) === id);

const repository = 'https://github.com/headwise/headwise/';

/** What is wrong with a link of a page, or null. */
function fault(page, link) {
  if (link.startsWith(repository)) {
    const [, path] = /^(?:blob|tree)\/main\/([^#]+)/.exec(link.slice(repository.length)) ?? [];
    return path === undefined || existsSync(fromRoot(decoded(path)))
      ? null
      : 'no such file in the repository';
  }
  const { host, pathname, hash } = new URL(link, `https://site${page.slice(folder.length)}`);
  if (host !== 'site') return null;
  const file = fileAt(pathname);
  if (!file) return 'no such file';
  return hash === '' || !file.endsWith('.html') || hasId(file, decoded(hash.slice(1)))
    ? null
    : 'no such heading';
}

test('every link leads somewhere', () => {
  assert.ok(pages.length > 20, `${pages.length} pages`);
  const faults = pages.flatMap((page) =>
    [...new Set(linksOf(read(page)))].flatMap((link) => {
      const wrong = fault(page, link);
      return wrong ? [`${page}: ${link}: ${wrong}`] : [];
    }),
  );
  assert.deepEqual(faults, []);
});

test('it asks no other host for anything', () => {
  const loaded = pages.flatMap((page) =>
    [
      ...read(page).matchAll(/<(?:link|script|img|iframe)\b[^>]*?\s(?:href|src)="(https?:[^"]*)"/g),
    ].map(([, link]) => link),
  );
  const styles = listFiles([`${folder}/assets`], (path) => path.endsWith('.css')).flatMap(
    (path) => [...read(path).matchAll(/url\((["']?https?:[^)]*)\)/g)],
  );
  assert.deepEqual([...new Set(loaded), ...styles], []);
});

test('every document is in the sidebar, and the references have the main classes', () => {
  for (const document of listFiles(['docs'], (path) => /^docs\/(guides\/)?[^/]+\.md$/.test(path))) {
    const page = document.replace(/^docs\/(.*)\.md$/, '$1.html');
    assert.ok(fileAt(page), document);
    assert.ok(page === 'index.html' || home.includes(`href="/${page}"`), document);
  }
  for (const name of ['MultiHeadAttention', 'Transformer']) {
    assert.ok(fileAt(`javascript/classes/${name}.html`), name);
    assert.ok(fileAt(`cpp/classheadwise_1_1${name}.html`), name);
  }
  // Private members are no part of a reference.
  const layer = read(`${folder}/cpp/classheadwise_1_1MultiHeadAttention.html`);
  assert.doesNotMatch(layer, /checked_forward/);
});

const server = shared(() => serveFolder(fromRoot(folder)));

async function open(t, path, { dark = false } = {}) {
  const { url } = await server();
  const page = await openTab(t);
  await page.setViewport({ width: 1440, height: 900 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
  ]);
  await page.goto(new URL(path, url).href, { waitUntil: 'load' });
  // VitePress has taken over: what it renders in the browser is there.
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__);
  return page;
}

/** Links of navigation and sidebar that the window, or what they stand in, cuts. */
const cut = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.VPNav a, .VPSidebar a')]
      .filter((link) => link.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((link) => {
        const { left, right } = link.getBoundingClientRect();
        const around = (link.closest('.VPSidebar') ?? document.body).getBoundingClientRect();
        return left < around.left || right > around.right;
      })
      .map((link) => link.textContent),
  );

const paths = ['', 'first-steps.html', 'options.html', 'comparison.html'];
for (const path of [...paths, 'playground.html', 'benchmark.html']) {
  test(`/${path}: axe-core, and nothing wider than the window`, async (t) => {
    const page = await open(t, path);
    assert.deepEqual(await violations(page), []);
    for (const width of [1440, 1920, 390]) {
      await page.setViewport({ width, height: 900 });
      await fitsAcross(page, `${width}:`);
      assert.deepEqual(await cut(page), []);
    }
    assert.deepEqual(await violations(page), [], 'on a phone');
    const dark = await open(t, path, { dark: true });
    assert.deepEqual(await violations(dark, { rules: ofColours }), [], 'dark');
  });
}

test('search finds an option', async (t) => {
  const page = await open(t, 'first-steps.html');
  await page.click('.VPNavBarSearch button');
  await page.waitForSelector('#localsearch-input');
  await page.type('#localsearch-input', 'numKvHeads');
  await page.waitForSelector('.VPLocalSearchBox .result[href*="options"]');
});

test('the page opens from the navigation', async (t) => {
  const page = await open(t, '');
  await Promise.all([
    page.waitForNavigation(),
    page.click('.VPNavBarMenu a[href$="page/index.html"]'),
  ]);
  await page.waitForSelector('#acts:not([aria-busy])');
  assert.match(page.url(), /\/page\/index\.html$/);
});

const runButton = '.tool .primary:enabled';

test('the playground runs the ten lines, and draws heads', async (t) => {
  const page = await open(t, 'playground.html');
  await page.waitForSelector(runButton);
  assert.equal(await page.$('.drawing'), null, 'before Run');
  await page.click(runButton);
  await page.waitForFunction(() =>
    document.querySelector('.output').textContent.startsWith('[2, 4, 100]\n'),
  );
  await page.select('.tool select', '1');
  await page.focus('.cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.drawing')?.offsetHeight > 100);
  await page.click('.tool .primary + button');
  assert.equal(await page.$('.drawing'), null, 'after Stop');
});

test('the benchmark measures headwise, and copies the results', async (t) => {
  const page = await open(t, 'benchmark.html');
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => void (globalThis.copied = text);
    document.querySelectorAll('.tool :checked:not([value=toy])').forEach((box) => box.click());
  });
  await page.click(runButton);
  await (await page.waitForSelector('.tool-bar > button:last-child:enabled')).click();
  const { hardwareConcurrency, packages, runs } = JSON.parse(
    await page.evaluate(() => globalThis.copied),
  );
  assert.ok(hardwareConcurrency && packages.headwise);
  const [{ peer, failed, error, median }] = runs[0].results;
  assert.deepEqual([runs.length, runs[0].shape, peer, failed], [1, 'toy', 'headwise', undefined]);
  assert.ok(error < 1e-3 && median > 0, `${error}, ${median}`);
});
