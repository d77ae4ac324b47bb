// Code that documents show, which tests run.
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../../scripts/lib/files.mjs';

/** The code below a line that has a file's name and a colon alone. */
export function snippet(document, name) {
  const text = readFileSync(fromRoot(document), 'utf8');
  const [, rest] = text.split(`\n\`${name}\`:\n`);
  const code = rest && /^\n```\w+\n(.*?)^```$/ms.exec(rest)?.[1];
  if (!code) throw new Error(`${document} has no code called ${name}`);
  return code;
}

/** Whether the document has this line within some code. */
export function showsLine(document, line) {
  const text = readFileSync(fromRoot(document), 'utf8');
  return [...text.matchAll(/^```\w+\n(.*?)^```$/gms)].some(([, code]) =>
    code.split('\n').includes(line),
  );
}
