// Code of documents, for tests that run it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fromRoot } from './project.mjs';

/**
 * The code blocks of a section. Fails if the section has other blocks than the test knows.
 *
 * @param {string} document its path
 * @param {string} heading of the section; '' for what comes before the first one
 * @param {...string} languages of its blocks, in order
 * @returns {string[]} their code
 */
export function blocks(document, heading, ...languages) {
  const text = `## \n${readFileSync(fromRoot(document), 'utf8')}`;
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  assert.ok(section, `${document} has no section '${heading}'`);
  const found = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  assert.deepEqual(
    found.map(([, language]) => language),
    languages,
    `${document}: ${heading}`,
  );
  return found.map(([, , code]) => code);
}

/** The README's example in JavaScript. */
export const readmeExample = () =>
  /^```js\n(.*?)^```$/ms.exec(readFileSync(fromRoot('README.md'), 'utf8'))[1];
