// Exercise 2 of d2l's chapter "Multi-Head Attention": how would you measure the importance of a
// head? By heads whose importance is known. Models learn induction with four of their twelve heads;
// the others are there, but shut. When all are opened, each measure ranks the heads, and heads go in
// that order, the least important first: a good measure leaves the four for the end.
//
//   node examples/head-importance/main.mjs [--quick] [FOLDER]
//
// --quick takes one seed in place of five, and fewer steps and orders. Into FOLDER, if there is one,
// go curve.csv, heads.csv and curve.svg.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { init } from 'headwise';
import { PlantedModel } from './planted-model.mjs';
import { drawCurves } from './plot.mjs';
import {
  importanceOf,
  measures,
  pruneAtRandom,
  pruneBy,
  pruneByMeasuringAnew,
} from './pruning-curve.mjs';
import { curveCsv, headsCsv, printHeads, printOrders, printRanks } from './report.mjs';

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { quick } = values;
const [folder] = positionals;

/**
 * @param {number} from
 * @param {number} to
 */
const count = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

async function resultOf(/** @type {number} */ seed) {
  const planted = new PlantedModel(seed, quick ? 150 : 300, quick ? 50 : 100);
  /** @type {import('./report.mjs').Result} */
  const result = {
    seed,
    loss: planted.lossWithout(),
    lossWithout: {
      'sharp and quiet': planted.lossWithout('sharp', 'quiet'),
      'previous-token': planted.lossWithout('previous token'),
      induction: planted.lossWithout('induction'),
      planted: planted.lossWithout('previous token', 'induction'),
    },
    scores: planted.scores(),
    importance: [],
    curves: [],
  };
  for (const measure of measures) {
    result.importance.push(await importanceOf(planted, measure));
    result.curves.push(await pruneBy(planted, measure));
  }
  for (const measure of measures) result.curves.push(await pruneByMeasuringAnew(planted, measure));
  for (const number of count(1, quick ? 1 : 5)) {
    result.curves.push(await pruneAtRandom(planted, number));
  }
  planted.dispose();
  return result;
}

// One thread: the models are small, and so the times are those of one.
await init({ threads: 1 });
const results = [];
for (const seed of count(1, quick ? 1 : 5)) {
  const result = await resultOf(seed);
  results.push(result);
  printHeads(result);
}
printRanks(results);
printOrders(results);
if (folder !== undefined) {
  writeFileSync(join(folder, 'curve.csv'), curveCsv(results));
  writeFileSync(join(folder, 'heads.csv'), headsCsv(results));
  writeFileSync(join(folder, 'curve.svg'), drawCurves(results));
}
