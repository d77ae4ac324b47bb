// The fenced code of docs/bundlers.md, which tests compare with what they build, or use as it stands there.
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../../../scripts/lib/files.mjs';

/** @returns {{ language: string, text: string }[]} in the document's order */
export function readBlocks() {
  const document = readFileSync(fromRoot('docs/bundlers.md'), 'utf8');
  return [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    ...{ language, text: text.trimEnd() },
  }));
}

export const blocksOf = (wanted) =>
  readBlocks()
    .filter(({ language }) => language === wanted)
    .map(({ text }) => text);

/** The policies that the document gives, in its order. */
export const policies = () =>
  blocksOf('http')
    .filter((text) => text.startsWith('Content-Security-Policy: '))
    .map((text) => text.slice('Content-Security-Policy: '.length));

/** Whether a text is what the document quotes, where `…` stands for anything. */
export function isQuoted(quote, text) {
  const parts = quote.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
