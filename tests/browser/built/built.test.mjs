// The built page: the size of its files, the headers it is served with, and how it is opened.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { actsOf, loadedFiles, open } from '../lib/pages.mjs';
import { headers, serveFolder, servePageBelow } from '../lib/server.mjs';

/** The sizes of files with brotli. */
const sizes = new Map();
function weigh(files) {
  for (const file of files) {
    if (!sizes.has(file)) sizes.set(file, brotliCompressSync(readFileSync(fromRoot(file))).length);
  }
  return files.reduce((sum, file) => sum + sizes.get(file), 0);
}

test('all files are below 520 KB with brotli, and the language model below 4 MB', () => {
  // Licences and pictures for previews lie beside the page; no visit loads them. Acts have documents in place of index.html.
  const aside =
    /\/(?:LICENSE|THIRD_PARTY\.md|preview[^/]*\.png|model\/[^/]+|(?!index)[a-z-]+\.html)$/;
  const isAside = (file) => aside.test(file);
  const total = weigh(listFiles(['build/page'], (file) => !isAside(file)));
  assert.ok(total < 520_000, `${total} bytes`);

  const model = listFiles(['build/page/model']);
  assert.ok(
    model.some((file) => file.endsWith('.gguf')),
    model.join(),
  );
  // Not compressed: brotli saves little on trained weights and takes long.
  const size = model.reduce((sum, file) => sum + statSync(fromRoot(file)).size, 0);
  assert.ok(size < 4_000_000, `${size} bytes`);
});

test('a first visit requests few files and no WebAssembly, all with the headers of docs/hosting.md', async (t) => {
  const { page, url } = await open(t);
  assert.equal(await page.$('.not-served'), null);
  const requested = await loadedFiles(page, /./);
  const files = new Set(['index.html', ...requested.map((file) => file.replace(url, ''))]);
  assert.deepEqual(
    [...files].filter((file) => /\.wasm$|act-/.test(file)),
    [],
  );
  assert.ok(files.size <= 8, [...files].join());
  const total = weigh([...files].map((file) => `build/page/${file}`));
  assert.ok(total < 67_000, `${total} bytes`);

  const expected = Object.entries({ ...headers.security, ...headers.isolation });
  const docs = readFileSync(fromRoot('docs/hosting.md'), 'utf8');
  for (const [name, value] of expected) assert.ok(docs.includes(`\n${name}: ${value}\n`), name);
  for (const file of [...files, 'service-worker.js']) {
    const answer = await fetch(url + file);
    for (const [name, value] of expected) {
      assert.equal(answer.headers.get(name), value, `${name} of ${file}`);
    }
  }
});

test('the policy allows nothing inline but one style, no eval and no other host, and violations fail a test', async (t) => {
  const directives = headers.security['Content-Security-Policy'].split('; ');
  assert.ok(directives.includes("default-src 'none'"));
  assert.ok(directives.includes("script-src 'self' 'wasm-unsafe-eval'"));
  for (const source of directives.flatMap((directive) => directive.split(' ').slice(1))) {
    // A reader may open a model by its address, which is the only https: (connect-src). The hash is of the inline style.
    assert.match(source, /^('self'|'none'|'wasm-unsafe-eval'|blob:|https:|'sha256-[\w+/]+=')$/);
  }
  const { page, problems } = await open(t);
  await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
  assert.match(problems.splice(0).join(), /Content Security Policy/);
});

test('each act has a document with its title, description and picture, which opens at the act', async (t) => {
  const { page, url } = await open(t, 'train.html');
  await page.waitForSelector('#train .live:not([data-awaited])');
  const { top } = await page.$eval('#train', (act) => act.getBoundingClientRect().toJSON());
  assert.ok(Math.abs(top) < 100, `${top} pixels from the top`);
  for (const act of await actsOf(page)) {
    const html = await (await fetch(`${url}${act}.html`)).text();
    const title = await page.$eval(`#${act} h2`, (heading) => heading.lastChild.textContent);
    assert.ok(html.includes(`<meta property="og:title" content="${title} · headwise" />`), act);
    assert.match(html, /<meta property="og:description" content="[^"*[]{40,}" \/>/, act);
    const [, picture] = /og:image" content="\.\/([^"]+)"/.exec(html);
    assert.ok(statSync(fromRoot(`build/page/${picture}`)).size < 30_000, picture);
    // Painted without any other file.
    assert.doesNotMatch(html, /rel="stylesheet"/, act);
  }
});

test('no file imports the one that starts the worker: WebKit would run that twice', () => {
  const scripts = listFiles(['build/page/assets'], (file) => file.endsWith('.js'));
  const entries = scripts
    .map((file) => basename(file))
    .filter((name) => name.startsWith('model-worker-'));
  assert.equal(entries.length, 1);
  // The page, which starts it, names it without `./`.
  const importers = scripts.filter((file) =>
    readFileSync(fromRoot(file), 'utf8').includes(`./${entries[0]}`),
  );
  assert.deepEqual(importers, []);
});

test('opened as a file, the page says how to see it', async (t) => {
  const { page } = await open(t, '', { causes: /file:/ });
  await page.goto(pathToFileURL(fromRoot('build/page/index.html')).href);
  const text = await page.evaluate(() => document.body.innerText);
  assert.match(text, /opened as a file.*npm start.*python3 -m http\.server/s);
});

test('before its script runs, the page shows the first sentence with its arcs', async (t) => {
  const { page } = await open(t, '', {
    until: 'body',
    causes: /ERR_FAILED/,
    prepare: async (tab) => {
      await tab.setRequestInterception(true);
      tab.on('request', (request) =>
        request.resourceType() === 'script' ? request.abort() : request.continue(),
      );
    },
  });
  assert.match(await page.evaluate(() => document.body.innerText), /head by head/);
  assert.ok((await page.$$('.opening svg text')).length > 4);
  // One for each head that looks at another word.
  assert.equal((await page.$$('.opening svg path')).length, 3);
});

test('in a folder of a host without isolation, every file is there without the host', async (t) => {
  const server = await servePageBelow();
  t.after(() => server.close());
  const { page } = await open(t, '#equal-keys', {
    server,
    withServiceWorker: true,
    // The browser asks whether there is a newer service worker, and nobody answers.
    causes: /service-worker\.js/,
  });
  await page.evaluate(() => navigator.serviceWorker.ready);
  // All that the page asks for from now on, it asks the service worker for.
  await page.reload();
  await server.close();
  const assets = listFiles(['build/page/assets']).map((file) => file.slice('build/page/'.length));
  const answers = await page.evaluate(
    (paths) => Promise.all(paths.map(async (path) => (await fetch(path)).status)),
    assets,
  );
  assert.deepEqual([...new Set(answers)], [200]);
  await page.goto(`${server.url}?heads=2&input=random&seed=7&valid=1#equal-keys`);
  await page.waitForSelector('#equal-keys .live:not([data-awaited])');
  assert.equal((await page.$$('#equal-keys .key-cell')).length, 2 * 4 * 6);
  assert.equal((await page.$$('.failure')).length, 0);
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
});

test('a new version is shown at once where there is a network', async (t) => {
  const copy = fromRoot('build/changing-page');
  cpSync(fromRoot('build/page'), copy, { recursive: true });
  const server = await serveFolder(copy, { headers: headers.security });
  t.after(() => server.close());
  const { page, url } = await open(t, '', { server, withServiceWorker: true });
  await page.evaluate(() => navigator.serviceWorker.ready);
  const html = readFileSync(`${copy}/index.html`, 'utf8');
  writeFileSync(`${copy}/index.html`, html.replace(/<title>.*<\/title>/, '<title>new</title>'));
  await page.goto(url);
  assert.equal(await page.title(), 'new');
});
