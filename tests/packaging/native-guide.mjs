// What docs/native.md tells C++ users to write, for tests that do as it says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../scripts/lib/files.mjs';

export const guide = 'docs/native.md';

/** By heading (the text before the first one is ''), the code of each language in order. */
export function guideSections(text = readFileSync(fromRoot(guide), 'utf8')) {
  const sections = new Map();
  for (const part of text.split(/^## /m)) {
    const heading = text.startsWith(part) ? '' : part.slice(0, part.indexOf('\n'));
    const fences = {};
    for (const [, language, code] of part.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
      fences[language] = [...(fences[language] ?? []), code];
    }
    sections.set(heading, fences);
  }
  return sections;
}

/** The only block of a language in a section, or one of several by its number. */
export function guideCode(heading, language, number = 0) {
  const code = guideSections().get(heading)?.[language]?.[number];
  assert.ok(code, `${guide}: no ${language} number ${number} under '${heading}'`);
  return code;
}

/** The program that the guide builds, and what it prints. */
export const program = () => guideCode('', 'cpp');
export const printed = '1\nvalid_lens: expected integers from 0 to 5, got 9\n';
