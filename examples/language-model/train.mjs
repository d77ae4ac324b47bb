// Trains the model of this folder, from the text to the card:
//
//   node examples/language-model/train.mjs [--quick] [--seed=N] [--threads=N] [--steps=N]
//
// Text, tokens and the model so far are kept in build/language-model; the model is copied into the
// folder `model` when it is done. --quick makes a tiny one of a short text in seconds, to see that
// all runs, and copies nothing.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cardOf } from './card.mjs';
import { bringTexts, documentsIn, split } from './corpus.mjs';
import { prepare } from './prepare.mjs';
import { readTokens } from './tokens.mjs';

const options = process.argv.slice(2);
const isQuick = options.includes('--quick');

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = join(folder, '../..');
const build = join(root, 'build', isQuick ? 'language-model-quick' : 'language-model');
const model = join(build, 'model');
const target = 'headwise-example-language-model';
const program = join(root, 'build/native/examples', target);

/** Beginnings that the card has the model go on with, and how many tokens come after them. */
const prompts = ['The American people', 'My fellow citizens,', 'We must', 'The Secretary of'];
const sampleLength = isQuick ? 8 : 80;

/** Runs a program, which may print, to its end. */
const run = (/** @type {string} */ command, /** @type {string[]} */ args) =>
  /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      spawn(command, args, { cwd: root, stdio: 'inherit' })
        .on('error', reject)
        .on('close', (code, signal) => {
          if (code === 0) resolve();
          else reject(new Error(`${command} ended with ${signal ?? code}`));
        });
    })
  );

const output = (/** @type {string[]} */ ...args) =>
  execFileSync(program, args, { encoding: 'utf8' });

/** By which the library chooses its kernels. */
function instructionSet() {
  const chosen = process.env.HEADWISE_ARCHITECTURE;
  const file = '/proc/cpuinfo';
  const flags = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = ['avx512bw', 'avx2', 'sse4_2'].find((name) => flags.includes(name));
  return (chosen ?? found ?? process.arch).replace('512bw', '512');
}

const tokensIn = (/** @type {string} */ name) => join(build, `${name}.tokens`);

/** The loss of a text and the scores of the model's heads in it. */
const measure = (/** @type {string} */ name) =>
  /** @type {import('./card.mjs').Measures} */ (
    JSON.parse(output('measure', model, tokensIn(name)))
  );

// A short part of what is held out is kept here.
const sample = readFileSync(join(folder, 'held-out.txt'), 'utf8').trim();
const documents = isQuick
  ? { training: [{ name: '', text: sample }], heldOut: [{ name: '', text: sample }] }
  : split(documentsIn(bringTexts(build)));
const texts = {
  training: documents.training.map(({ text }) => text),
  'held-out': documents.heldOut.map(({ text }) => text),
  sample: [sample],
};

console.log(`${texts.training.length} documents to train on, ${texts['held-out'].length} held out`);
mkdirSync(build, { recursive: true });
const tokens = prepare(texts, build, model);

await run('cmake', ['--preset', 'native']);
await run('cmake', ['--build', '--preset', 'native', '--target', target]);

const began = performance.now();
await run(program, ['train', tokensIn('training'), tokensIn('held-out'), model, ...options]);
const minutes = (performance.now() - began) / 60_000;

const generated = prompts.map((prompt, i) => {
  const given = [0, ...tokens.encode(prompt)];
  const seed = String(i + 1);
  const following = output('generate', model, String(sampleLength), seed, ...given.map(String));
  return tokens.decode([...given, ...following.trim().split('\n').map(Number)]);
});
const bytesOf = (/** @type {string[]} */ list) =>
  list.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
writeFileSync(
  join(model, 'README.md'),
  cardOf({
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    instructionSet: instructionSet(),
    minutes,
    options: options.join(' '),
    training: {
      documents: texts.training.length,
      bytes: bytesOf(texts.training),
      tokens: readTokens(tokensIn('training')).length,
    },
    heldOut: {
      names: documents.heldOut.map(({ name }) => name),
      bytes: bytesOf(texts['held-out']),
      ...measure('held-out'),
    },
    sample: measure('sample'),
    generated,
  }),
);

if (!isQuick) {
  cpSync(tokensIn('sample'), join(folder, 'held-out.tokens'));
  cpSync(model, join(folder, 'model'), { recursive: true });
}
console.log(`The model is in ${isQuick ? model : join(folder, 'model')}`);
