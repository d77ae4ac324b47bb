// Pages under a Content-Security-Policy, as docs/bundlers.md asks for one, and with less: of the page's own files, and of
// a package from another origin.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertQuoted, call, documented, htmlPage, initIn, isolation } from './lib/bundlers.mjs';
import { main, openFolder, serveCdn } from './lib/bundlers.mjs';
import { writeApplication, writeUnbundled } from './lib/bundlers.mjs';
import { judge } from './lib/judge.mjs';
import { shell } from './lib/processes.mjs';

const [own, withoutEval, withoutConnect, withoutWorkers, ofCdn, manifest] = documented(
  'Content-Security-Policy',
  ...['http', 'text', 'text', 'text', 'http', 'json'],
);

/** Headers with a documented policy, in which some directives are others. */
function policy(text, changes = {}) {
  const directives = text
    .trim()
    .replace(/^Content-Security-Policy: /, '')
    .split('; ')
    .map((directive) => changes[directive.split(' ')[0]] ?? directive);
  for (const directive of Object.values(changes)) assert.ok(directives.includes(directive), text);
  // The icon of the pages here.
  return { 'Content-Security-Policy': [...directives, 'img-src data:'].join('; ') };
}

describe('Content-Security-Policy', () => {
  let folder;
  before(async () => {
    const index = htmlPage('<script src="main.js"></script>');
    const place = writeApplication('policies', { 'main.js': main, 'dist/index.html': index });
    const [, , , script] = documented('esbuild', 'text', 'sh', 'text', 'sh');
    await shell(script.replaceAll('npx ', ''), place);
    folder = `${place}/dist`;
  });

  const ofExtension = JSON.parse(manifest).content_security_policy.extension_pages;
  for (const [kind, text] of Object.entries({ 'a page': own, 'an extension': ofExtension })) {
    for (const threads of [1, 3]) {
      test(`of ${kind}: everything works on ${threads} threads`, async (t) => {
        const headers = { ...policy(text), ...(threads > 1 && isolation) };
        const page = await openFolder(t, folder, headers);
        judge(await call(page, 'all', { threads }), { threads });
        assert.equal((await call(page, 'inWorker', { threads })).threads, threads);
      });
    }
  }

  for (const [changes, quote] of [
    [{ 'script-src': "script-src 'self'" }, withoutEval],
    [{ 'connect-src': "connect-src 'none'" }, withoutConnect],
  ]) {
    test(`${Object.values(changes)}: the error that the document quotes`, async (t) => {
      const page = await openFolder(t, folder, policy(own, changes), { mayFail: true });
      assertQuoted(await initIn(page), quote);
    });
  }

  test("worker-src 'none': one thread, or the error that the document quotes", async (t) => {
    const headers = { ...policy(own, { 'worker-src': "worker-src 'none'" }), ...isolation };
    const page = await openFolder(t, folder, headers, { mayFail: true });
    assertQuoted(await initIn(page, { threads: 3 }), withoutWorkers);
    assert.equal(await initIn(page), 1);
  });
});

describe('Content-Security-Policy with the package from another origin', () => {
  let cdn, folder;
  before(async () => {
    cdn = await serveCdn();
    folder = writeUnbundled('policies-other-origin', { 'index.html': cdn.page });
  });
  after(() => cdn.close());

  /** Opens the page under the policy, to which the hashes of its scripts are added. */
  function open(t, changes, options) {
    const scripts = [...cdn.page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)];
    const hashes = scripts.map(([, text]) => createHash('sha256').update(text).digest('base64'));
    const headers = policy(ofCdn, changes);
    const allowing = headers['Content-Security-Policy']
      .replaceAll('https://cdn.example', cdn.url)
      .replace('script-src ', `script-src ${hashes.map((hash) => `'sha256-${hash}'`).join(' ')} `);
    const all = { 'Content-Security-Policy': allowing, ...isolation };
    return openFolder(t, folder, all, options);
  }

  test('workers run', async (t) => {
    judge(await call(await open(t), 'all', { threads: 3 }), { threads: 3 });
  });

  for (const sources of ['blob:', 'https://cdn.example']) {
    test(`worker-src ${sources} alone: one thread, or an error`, async (t) => {
      const page = await open(t, { 'worker-src': `worker-src ${sources}` }, { mayFail: true });
      assertQuoted(await initIn(page, { threads: 3 }), withoutWorkers);
      assert.equal(await initIn(page), 1);
    });
  }
});
