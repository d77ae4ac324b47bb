// Trains the model of this folder, from the text to the card:
//
//   node examples/language-model/train.mjs [--resume] [--quick] [--seed=N] [--threads=N] [--steps=N]
//                                          [--beside=FOLDER]
//
// Text, tokens and the model so far are kept in build/language-model; the model is copied into the
// folder `model` when it is done. --resume goes on after an interruption, to the same bytes. --quick
// makes a tiny model of a short text in seconds, to see that all runs, and copies nothing. The card
// shows the loss of the model in the folder --beside, too.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cardOf } from './card.mjs';
import { everyday, readSources, sampleOf, trainingTexts, vocabularyTexts } from './corpus.mjs';
import { prepare } from './prepare.mjs';
import { readTokens, textTokens, tokensOf, wordsOf, writeTokens } from './tokens.mjs';

const options = process.argv.slice(2);
const isQuick = options.includes('--quick');
const beside = options.find((option) => option.startsWith('--beside='))?.slice(9);
const trainingOptions = options.filter((option) => !option.startsWith('--beside='));

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = join(folder, '../..');
const build = join(root, 'build', isQuick ? 'language-model-quick' : 'language-model');
const model = join(build, 'model');
const target = 'headwise-example-language-model';
const program = join(root, 'build/native/examples', target);

/** Beginnings that the card has the model go on with, and how many tokens come after them. */
const prompts = [
  'Once upon a time, there was a',
  'Anna had a red ball. She gave the ball to Tom. Now',
  '"Where is my hat?" asked the',
  'The dog could not cross the river because it was too',
  'In the beginning, God',
  'A teacher is a',
];
const sampleLength = isQuick ? 8 : 60;

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

const bytesOf = (/** @type {string[]} */ list) =>
  list.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** @typedef {import('./card.mjs').Measures} Measures */

/** The loss of texts, as tokens of the model's own vocabulary, and the scores of its heads in them. */
function measure(/** @type {string} */ ofModel, /** @type {string[]} */ list) {
  const [tokenizer, config] = ['tokenizer.json', 'tokenizer_config.json'].map(
    (name) => /** @type {object} */ (JSON.parse(readFileSync(join(ofModel, name), 'utf8'))),
  );
  writeTokens(tokensIn('measured'), tokensOf(textTokens(tokenizer ?? {}, config ?? {}), list));
  const measures = /** @type {Measures} */ (
    JSON.parse(output('measure', ofModel, tokensIn('measured')))
  );
  const bits = (measures.loss * (measures.tokens - 1)) / Math.LN2;
  return { ...measures, bitsPerByte: bits / bytesOf(list) };
}

/** So many seconds were spent on training, before and after interruptions. */
function secondsSpent() {
  const file = readFileSync(`${model}.state`);
  const length = Number(file.readBigUInt64LE());
  /** @type {{ __metadata__: { seconds: string } }} */
  const header = JSON.parse(file.toString('utf8', 8, 8 + length));
  return Number(header.__metadata__.seconds);
}

const short = readFileSync(join(folder, 'held-out.txt'), 'utf8').trim();
const { sources, countries } = isQuick
  ? {
      sources: [{ name: 'held-out.txt', times: 1, training: [short], heldOut: [short] }],
      countries: [],
    }
  : readSources(build);
const texts = trainingTexts(sources);
const sample = isQuick ? short : sampleOf(sources);
const heldOut = sources.flatMap((source) => source.heldOut);
console.log(`${texts.length} documents to train on, ${heldOut.length} held out`);
mkdirSync(build, { recursive: true });
const tokens = prepare(
  vocabularyTexts(sources),
  { training: texts, 'held-out': heldOut, sample: [sample] },
  build,
  model,
);

await run('cmake', ['--preset', 'native']);
await run('cmake', ['--build', '--preset', 'native', '--target', target]);
await run(program, [
  'train',
  tokensIn('training'),
  tokensIn('held-out'),
  model,
  ...trainingOptions,
]);

/** The tokens after the prompt; of seed 0 the likeliest. */
const goOn = (
  /** @type {string} */ prompt,
  /** @type {number} */ count,
  /** @type {number} */ seed,
) => {
  const given = [0, ...tokens.encode(` ${prompt}`)];
  const following = output('generate', model, String(count), String(seed), ...given.map(String));
  return tokens.decode(following.trim().split('\n').map(Number));
};
const known = countries.filter(({ one, capital }) =>
  ` ${capital}`.startsWith(goOn(`The capital of ${one} is`, 1, 0)),
);
const losses = (/** @type {string | undefined} */ ofModel) =>
  ofModel === undefined
    ? undefined
    : [...sources.map((source) => source.heldOut), everyday].map(
        (list) => measure(ofModel, list).bitsPerByte,
      );
writeFileSync(
  join(model, 'README.md'),
  cardOf({
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    instructionSet: instructionSet(),
    minutes: secondsSpent() / 60,
    options: trainingOptions.filter((option) => option !== '--resume').join(' '),
    tokens: readTokens(tokensIn('training')).length,
    sources: sources.map(({ name, times, training, heldOut: kept }) => ({
      ...{ name, times, documents: training.length, bytes: bytesOf(training) },
      heldOut: { documents: kept.length, bytes: bytesOf(kept) },
    })),
    losses: losses(model) ?? [],
    lossesBeside: losses(beside),
    sample: measure(model, [sample]),
    everyday: { sentences: everyday.length, ...wordsOf(tokens, everyday) },
    capitals: { known: known.length, all: countries.length },
    generated: prompts.map((prompt, i) => ({ prompt, text: goOn(prompt, sampleLength, i + 1) })),
  }),
);

if (!isQuick) {
  writeFileSync(join(folder, 'held-out.txt'), `${sample}\n`);
  cpSync(tokensIn('sample'), join(folder, 'held-out.tokens'));
  cpSync(model, join(folder, 'model'), { recursive: true });
}
console.log(`The model is in ${isQuick ? model : join(folder, 'model')}`);
