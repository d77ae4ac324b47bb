// The headers that docs/hosting.md asks of a host, which every other test of the page runs under.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../lib/pages.mjs';
import { headers } from '../lib/server.mjs';

const directives = Object.fromEntries(
  headers.security['Content-Security-Policy'].split('; ').map((directive) => {
    const [name, ...sources] = directive.split(' ');
    return [name, sources];
  }),
);

test('the policy is strict: nothing inline, no eval, nothing from elsewhere', () => {
  assert.deepEqual(directives['default-src'], ["'none'"]);
  assert.deepEqual(directives['script-src'], ["'self'", "'wasm-unsafe-eval'"]);
  for (const [name, sources] of Object.entries(directives)) {
    for (const source of sources) {
      assert.match(source, /^('self'|'none'|'wasm-unsafe-eval'|blob:)$/, name);
    }
  }
});

test('the docs name the headers as they are', () => {
  const docs = readFileSync(
    fileURLToPath(new URL('../../../docs/hosting.md', import.meta.url)),
    'utf8',
  );
  for (const [name, value] of Object.entries({ ...headers.security, ...headers.isolation })) {
    assert.ok(docs.includes(`\n${name}: ${value}\n`), name);
  }
});

test('npm start serves every file with them', async (t) => {
  const { page, url } = await open(t);
  const files = await page.evaluate(() => [
    location.href,
    ...performance.getEntriesByType('resource').map(({ name }) => name),
  ]);
  assert.ok(files.some((file) => file.endsWith('.wasm')));
  for (const file of [...files, `${url}service-worker.js`]) {
    const answer = await fetch(file);
    for (const [name, value] of Object.entries({ ...headers.security, ...headers.isolation })) {
      assert.equal(answer.headers.get(name), value, `${name} of ${file}`);
    }
  }
});

for (const [what, violate] of [
  [
    'an inline script',
    () => document.body.append(Object.assign(document.createElement('script'), { text: '0' })),
  ],
  ['an inline style', () => document.body.setAttribute('style', 'color: red')],
  ['a file from elsewhere', () => fetch('https://elsewhere.invalid/').catch(() => undefined)],
]) {
  test(`${what} is a violation, which fails whatever test meets it`, async (t) => {
    const { page, problems } = await open(t);
    assert.deepEqual(problems, []);
    await page.evaluate(violate);
    const told = problems.splice(0);
    assert.match(told.join(), /Content Security Policy/);
  });
}
