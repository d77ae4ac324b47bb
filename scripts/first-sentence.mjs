// Writes the sentence of the page's first screen anew, once the package is built: node scripts/first-sentence.mjs
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { fromRoot } from './lib/files.mjs';
import { firstSentence, sentenceFile } from './lib/first-sentence.mjs';

const headwise = await import('../dist/models.js');
await headwise.init({ threads: 1 });
const path = fromRoot(sentenceFile);
const made = JSON.stringify(firstSentence(headwise));
writeFileSync(path, await format(made, { ...(await resolveConfig(path)), filepath: path }));
