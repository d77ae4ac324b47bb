// Exercise 2 of d2l's chapter "Multi-Head Attention", on a trained model: how important is each of
// its heads, and which can go? Each measure ranks the heads on the first half of a text; heads go in
// that order, the least important first, and the second half shows what that costs.
//
//   node examples/prune-a-model/main.mjs FOLDER [TEXT] [options]
//
// FOLDER is a checkpoint's, with config.json and *.safetensors. TEXT is a text, read by the folder's
// tokenizer.json, or a file of tokens as numbers. Without it, the model draws a text itself; --start
// is then its first token.
//
//   --length N      tokens of a sequence (128, or what the model can read)
//   --sequences N   sequences to measure on, and as many others to test on (32)
//   --batch N       sequences at a time (8)
//   --steps N       points of a curve, but for the first, at most (16)
//   --measures A,B  of gradient, ablation, confidence, entropy (all)
//   --anew          also by each measure taken again of what is left after each point
//   --start N       token before a text that the model draws
//   --seed N        of that text and of random orders (1)
//   --threads N     (as many as `init` takes)
//   --csv FILE      where the curves go: order, gone (how many heads), heads (those that went since
//                   the point before), loss, perplexity
//   --svg FILE      where their figure goes
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { init } from 'headwise';
import { Checkpoint } from './checkpoint.mjs';
import { drawCurves } from './plot.mjs';
import {
  allGroups,
  allMeasures,
  countHeads,
  measureHeads,
  measureSpeed,
  orderOf,
  prune,
  pruneAnew,
  randomOrder,
} from './pruning.mjs';
import {
  curvesCsv,
  printCurve,
  printImportance,
  printMean,
  printSpeed,
  printSum,
  rowsOf,
} from './report.mjs';
import { cut, draw, readTokens } from './text.mjs';

const string = /** @type {const} */ ({ type: 'string' });
const { values, positionals } = parseArgs({
  options: {
    length: string,
    sequences: string,
    batch: string,
    steps: string,
    measures: string,
    start: string,
    seed: string,
    threads: string,
    csv: string,
    svg: string,
    anew: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

/**
 * @template T
 * @param {'length' | 'sequences' | 'batch' | 'steps' | 'start' | 'seed' | 'threads'} option
 * @param {number} least
 * @param {T} otherwise
 */
function numberOf(option, least, otherwise) {
  const given = values[option];
  if (given === undefined) return otherwise;
  if (!/^\d+$/.test(given) || Number(given) < least) {
    throw new Error(`--${option}: expected an integer from ${least}, got '${given}'`);
  }
  return Number(given);
}

function measuresOf(/** @type {string} */ names) {
  return names.split(',').map((name) => {
    const measure = allMeasures.find((each) => each.name === name);
    if (measure === undefined) {
      const all = allMeasures.map((each) => each.name).join(', ');
      throw new Error(`--measures: expected some of ${all}, got '${name}'`);
    }
    return measure;
  });
}

async function run() {
  const [folder, file, another] = positionals;
  if (folder === undefined || another !== undefined) {
    throw new Error('usage: main.mjs FOLDER [TEXT] [options]');
  }
  const start = numberOf('start', 0, undefined);
  if ((file === undefined) !== (start !== undefined)) {
    throw new Error('expected a text, or --start without one');
  }
  const seed = numberOf('seed', 0, 1);
  const steps = numberOf('steps', 1, 16);
  const [sequences, batch] = [numberOf('sequences', 1, 32), numberOf('batch', 1, 8)];
  const measures = values.measures === undefined ? allMeasures : measuresOf(values.measures);
  await init({ threads: numberOf('threads', 1, 'auto') });

  const checkpoint = await Checkpoint.read(folder);
  const model = checkpoint.model();
  const length = numberOf('length', 1, Math.min(128, model.maxLength));
  const options = { length, sequences, batch };
  const text =
    start === undefined
      ? cut(readTokens(folder, file), options)
      : await draw(model, start, seed, options);

  const { measuring, testing } = text;
  const groups = allGroups(model);
  const importance = [];
  for (const { name } of measures) importance.push(await measureHeads(model, name, measuring));
  model.dispose();
  const names = measures.map(({ name }) => name);
  printImportance(names, importance);

  const curves = [];
  for (const [i, measure] of measures.entries()) {
    const order = orderOf(groups, measure, importance[i]);
    const curve = prune(checkpoint, order, testing, steps);
    curves.push(curve);
    printCurve(curve);
    printSpeed(await measureSpeed(checkpoint, order, testing));
  }
  for (const measure of values.anew ? measures : []) {
    const curve = await pruneAnew(checkpoint, measure, text, steps);
    curves.push(curve);
    printCurve(curve);
  }
  const random = [0, 1, 2, 3, 4].map((number) =>
    prune(checkpoint, randomOrder(groups, seed, number), testing, steps),
  );
  printMean(random);
  console.log();
  for (const curve of curves) printSum(curve, countHeads(groups));
  if (values.csv !== undefined) writeFileSync(values.csv, curvesCsv([...curves, ...random]));
  if (values.svg !== undefined)
    writeFileSync(values.svg, drawCurves(rowsOf([...curves, ...random])));
}

await run().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  process.exitCode = 1;
});
