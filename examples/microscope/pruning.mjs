// How many heads can go? The curves of Michel et al. 2019, "Are Sixteen Heads Really Better than One?" (heads ranked by
// the gradient of their gates) and of Voita et al. 2019, "Analyzing Multi-Head Self-Attention" (by their confidence),
// beside ablation, entropy and random orders. Nothing is trained again after a head has gone; Voita et al. do, and learn
// which heads go.
import { mean } from 'd3-array';
import { readTokens } from '../language-model/tokens.mjs';
import { printTable } from '../lib/table.mjs';
import { drawCurves } from '../prune-a-model/plot.mjs';
import {
  allGroups,
  allMeasures,
  countHeads,
  measureHeads,
  orderOf,
  prune,
  randomOrder,
} from '../prune-a-model/pruning.mjs';
import { rowsOf } from '../prune-a-model/report.mjs';
import { cut } from '../prune-a-model/text.mjs';

/** @import { Checkpoint } from '../prune-a-model/checkpoint.mjs' */
/** @import { Curve } from '../prune-a-model/pruning.mjs' */

/**
 * Curves by every measure, then in random orders. Heads are ranked on the first half of the tokens; the loss is that of
 * the second half.
 *
 * @param {Checkpoint} checkpoint
 * @param {string} file of tokens
 * @param {{ sequences: number, steps: number, orders: number }} options
 */
export async function pruneByAll(checkpoint, file, { sequences, steps, orders }) {
  const { measuring, testing } = cut(readTokens(file), { length: 128, sequences, batch: 5 });
  const model = checkpoint.model();
  const groups = allGroups(model);
  /** @type {Curve[]} */
  const curves = [];
  for (const measure of allMeasures) {
    const importance = await measureHeads(model, measure.name, measuring);
    curves.push(prune(checkpoint, orderOf(groups, measure, importance), testing, steps));
  }
  model.dispose();
  for (let i = 0; i < orders; i++) {
    curves.push(prune(checkpoint, randomOrder(groups, 1, i), testing, steps));
  }
  return { numHeads: countHeads(groups), curves };
}

/** @typedef {Awaited<ReturnType<typeof pruneByAll>>} Pruning */

const isRandom = (/** @type {Curve} */ { order }) => order.name.startsWith('random');

export function printPruning(/** @type {Pruning} */ { numHeads, curves }) {
  const [named, random] = [false, true].map((each) =>
    curves.filter((curve) => isRandom(curve) === each),
  );
  printTable([
    ['heads left', ...named.map(({ order }) => order.name), `random, mean of ${random.length}`],
    ...named[0].points.map(({ gone }, i) => [
      `${numHeads - gone}`,
      ...named.map(({ points }) => points[i].loss.toFixed(3)),
      (mean(random, ({ points }) => points[i].loss) ?? NaN).toFixed(3),
    ]),
  ]);
}

export const drawPruning = (/** @type {Pruning} */ { curves }) => drawCurves(rowsOf(curves));
