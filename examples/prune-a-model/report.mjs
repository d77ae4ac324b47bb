// What is printed and written of a model's heads.
import { mean } from 'd3-array';
import { csvFormat } from 'd3-dsv';
import { printTable } from '../lib/table.mjs';
import { headsWithin } from './pruning.mjs';

/** @import { Curve, Group } from './pruning.mjs' */

/** The layer and the number of each head: 0.3 0.4. */
const namesOf = (/** @type {Group[]} */ groups) =>
  groups.flatMap(({ layer, heads }) => heads.map((head) => `${layer}.${head}`)).join(' ');

/**
 * The numbers of every measure, a line for each head.
 *
 * @param {string[]} names of the measures
 * @param {number[][][]} importance of each measure, by layer and head
 */
export const printImportance = (names, importance) =>
  printTable([
    ['head', ...names],
    ...importance[0].flatMap((layer, i) =>
      layer.map((_, head) => [
        `${i}.${head}`,
        ...importance.map((ofMeasure) => ofMeasure[i][head].toFixed(5)),
      ]),
    ),
  ]);

/**
 * @param {number[]} gone
 * @param {number[]} losses
 * @param {string[]} heads
 */
const printLosses = (gone, losses, heads) =>
  printTable([
    ['gone', 'loss', 'perplexity', 'more loss', 'heads'],
    ...losses.map((loss, i) => [
      `${gone[i]}`,
      loss.toFixed(4),
      Math.exp(loss).toFixed(3),
      `${(100 * (loss / losses[0] - 1)).toFixed(1)} %`,
      heads[i] ?? '',
    ]),
  ]);

/** An order, and what becomes of the loss in it. */
export function printCurve(/** @type {Curve} */ { order, points }) {
  console.log(`\nBy ${order.name}, the least important first`);
  printLosses(
    points.map(({ gone }) => gone),
    points.map(({ loss }) => loss),
    points.map(({ since }) => namesOf(since)),
  );
  console.log(`staying, since a layer keeps a head: ${namesOf(order.staying)}`);
}

/** The mean loss of several orders. */
export function printMean(/** @type {Curve[]} */ curves) {
  console.log(`\nIn random order, the mean of ${curves.length}`);
  const [{ points }] = curves;
  printLosses(
    points.map(({ gone }) => gone),
    points.map((_, i) => mean(curves, (curve) => curve.points[i].loss) ?? NaN),
    [],
  );
}

/** @param {{ heads: number, prefill: number, generation: number }[]} speeds tokens a second */
export const printSpeed = (speeds) =>
  printTable([
    ['heads', 'prefill', 'generation'],
    ...speeds.map(({ heads, prefill, generation }) => [
      `${heads}`,
      ...[prefill, generation].map((speed) => `${speed.toFixed(0)} t/s`),
    ]),
  ]);

/**
 * How many heads can go in this order for a little loss.
 *
 * @param {Curve} curve
 * @param {number} numHeads
 */
export function printSum(curve, numHeads) {
  const [few, more] = [0.01, 0.05].map((share) => headsWithin(curve, share));
  console.log(
    `By ${curve.order.name}, ${few} of ${numHeads} heads can go for less than 1 % more loss, ` +
      `${more} for less than 5 %.`,
  );
}

/** Rows of the file of the curves; `heads` are those that went since the row before. */
export const rowsOf = (/** @type {Curve[]} */ curves) =>
  curves.flatMap(({ order, points }) =>
    points.map(({ gone, since, loss }) => ({
      order: order.name,
      gone,
      heads: namesOf(since),
      loss,
      perplexity: Math.exp(loss),
    })),
  );

export const curvesCsv = (/** @type {Curve[]} */ curves) => csvFormat(rowsOf(curves));
