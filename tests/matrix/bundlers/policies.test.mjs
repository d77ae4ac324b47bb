// Pages under a Content-Security-Policy, as docs/bundlers.md asks for one, and with less: of the page's own files, and
// of a package from another origin.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { isolation } from '../../browser/lib/package-server.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { sharedBrowser } from '../../browser/lib/shared.mjs';
import { trialsOf } from '../lib/trials.mjs';
import { judge, oracleCases } from '../shared/judge.mjs';
import { installed, layOut, shell } from './lib/applications.mjs';
import { blocksOf, policies } from './lib/document.mjs';
import { opener } from './lib/pages.mjs';
import { layOutOtherOrigin } from './tools.mjs';

const trial = trialsOf('bundlers', 'Content-Security-Policy');

/** The directives of a policy by their names, with some changed. */
const changed = (policy, changes) =>
  Object.entries({
    ...Object.fromEntries(
      policy.split('; ').map((directive) => {
        const [name, ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
    ),
    // Of the pages here.
    'img-src': 'data:',
    ...changes,
  })
    .map((directive) => directive.join(' '))
    .join('; ');
const [own, fromElsewhere] = policies();
const [manifest] = blocksOf('json')
  .map((text) => JSON.parse(text).content_security_policy)
  .filter(Boolean);

let application, cdn, other;
before(async () => {
  application = layOut('policies', ['vite']);
  await shell('vite build', application);
  cdn = await serveFolder(installed('node_modules/headwise/dist'), {
    headers: { 'Access-Control-Allow-Origin': '*' },
  });
  other = layOutOtherOrigin('policies-other-origin', cdn.url);
});
after(() => cdn?.close());

/** Opens the page of a folder under a policy; violations are told on the console, and no fault of the test. */
async function open(t, folder, policy, { isIsolated = false, causes = false } = {}) {
  const headers = {
    ...(isIsolated && isolation),
    'Content-Security-Policy': policy,
  };
  const server = await serveFolder(folder, { headers });
  t.after(() => server.close());
  return opener(sharedBrowser, () => server.url)(t, {
    isIsolated,
    ...(causes && { spoil: () => undefined }),
  });
}

const ownFiles = () => `${application}/dist`;
const init = (page, options) =>
  page.evaluate(
    (given) =>
      window.headwise.init(given).then(
        ({ threads }) => threads,
        ({ code, message }) => `${code}: ${message}`,
      ),
    options,
  );

const policiesOfPages = { page: changed(own), "extension's page": manifest.extension_pages };
for (const [kind, policy] of Object.entries(policiesOfPages)) {
  for (const threads of [1, 3]) {
    trial('oracle', `computes in a ${kind} what PyTorch does: ${threads} threads`, async (t) => {
      const page = await open(t, ownFiles(), policy, { isIsolated: threads > 1 });
      const run = (cases, options) => window.headwise.all(cases, options);
      const results = await page.evaluate(run, oracleCases(), { threads });
      judge.oracle(results);
      judge.models(results);
      judge.threads(results, threads);
    });
  }
}

trial('errors', "the error without 'wasm-unsafe-eval' names it", async (t) => {
  const policy = changed(own, { 'script-src': "'self'" });
  const page = await open(t, ownFiles(), policy, { causes: true });
  assert.match(
    await init(page),
    /^load-failed: wasm: expected a policy with script-src 'wasm-unsafe-eval', got WebAssembly/,
  );
});

trial('errors', 'the error without connect-src names the file', async (t) => {
  const page = await open(t, ownFiles(), changed(own, { 'connect-src': "'none'" }), {
    causes: true,
  });
  assert.match(
    await init(page),
    /^load-failed: wasm: expected a WebAssembly module at http:.*\.wasm .*, got Failed to fetch$/,
  );
});

trial('threads', 'without workers of its own origin it computes on one', async (t) => {
  const policy = changed(own, { 'worker-src': "'none'" });
  const page = await open(t, ownFiles(), policy, { isIsolated: true, causes: true });
  assert.match(await init(page, { threads: 3 }), /^load-failed: threads: expected workers of /);
  assert.equal(await init(page), 1);
});

/** The hashes of what a page's scripts hold, which a policy asks for. */
function hashesOf(folder) {
  const page = readFileSync(`${folder}/index.html`, 'utf8');
  const scripts = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text);
  assert.equal(scripts.length, 2);
  return scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

const allowing = (changes) => {
  const policy = changed(fromElsewhere, changes).replaceAll('https://cdn.example', cdn.url);
  return policy.replace('script-src ', `script-src ${hashesOf(other).join(' ')} `);
};

trial('threads', 'workers of another origin run', async (t) => {
  const page = await open(t, other, allowing(), { isIsolated: true });
  assert.equal(await init(page, { threads: 3 }), 3);
  judge.threads(await page.evaluate(() => window.headwise.all([], { threads: 3 })), 3);
});

for (const sources of ['blob:', 'https://cdn.example']) {
  trial('threads', `with worker-src ${sources} alone one thread can be had`, async (t) => {
    const policy = allowing({ 'worker-src': sources });
    const page = await open(t, other, policy, { isIsolated: true, causes: true });
    assert.match(
      await init(page, { threads: 3 }),
      /^load-failed: threads: expected workers of worker\.js, got /,
    );
    assert.equal(await init(page), 1);
  });
}
