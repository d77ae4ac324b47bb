// The code of docs/bundlers.md is that of the applications here, which are built and opened. Errors are compared in
// without.test.mjs, policies are taken from the document in policies.test.mjs.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import headers from '../../../web/headers.json' with { type: 'json' };
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { policies, readBlocks } from './lib/document.mjs';

const folder = fromRoot('tests/matrix/bundlers');
const files = readdirSync(folder, { recursive: true })
  .filter((name) => /[/\\].*\.(m?js|html|json)$/.test(name) && !name.startsWith('lib'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
const manifests = files.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text));
const { devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const lines = manifests.flatMap(({ scripts }) => Object.values(scripts ?? {}));

/** A text without the spaces that its lines begin with. */
const flat = (text) => text.replaceAll(/^ +/gm, '').trim();

const linesOf = (text) => text.split('\n').map((line) => line.trim());

/** By language: asserts that a block is what the applications have. */
const checks = {
  js: (text) =>
    assert.ok(files.some((file) => file.trim() === text || linesOf(file).includes(text))),
  html: (text) => assert.ok(files.some((file) => flat(file).includes(flat(text)))),

  json(text) {
    const [[name, value]] = Object.entries(JSON.parse(text));
    // An extension's manifest, whose policy policies.test.mjs tries.
    if (name === 'content_security_policy') return;
    const found = manifests.map((manifest) => manifest[name]);
    assert.ok(found.some((each) => JSON.stringify(each) === JSON.stringify(value)));
  },

  sh(text) {
    if (text.startsWith('npm install ')) {
      const packages = text.split(' ').slice(2);
      for (const name of packages) assert.ok(name.startsWith('--') || name in devDependencies);
      return;
    }
    const line = text.replaceAll('npx ', '').split('\n').join(' && ');
    assert.ok(lines.includes(line));
  },

  http(text) {
    const isolation = Object.entries(headers.isolation).map((each) => each.join(': '));
    const known = [
      isolation.join('\n'),
      ...policies().map((each) => `Content-Security-Policy: ${each}`),
    ];
    assert.ok(known.includes(text));
  },

  text: () => undefined,
};

for (const { language, text } of readBlocks()) {
  test(`docs/bundlers.md: ${language}: ${text.split('\n')[0]}`, () => {
    assert.ok(language in checks, `nothing checks ${language}`);
    checks[language](text);
  });
}

test('each tool that is tried has its lines', () => {
  const languages = readBlocks().map(({ language }) => language);
  for (const language of Object.keys(checks)) assert.ok(languages.includes(language), language);
  assert.equal(policies().length, 2);
});
