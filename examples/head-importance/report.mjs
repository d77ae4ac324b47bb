// What is printed and written of the experiment.
import { cross, group, mean as meanOrNone, median as medianOrNone } from 'd3-array';
import { csvFormat } from 'd3-dsv';
import { printTable } from '../lib/table.mjs';
import { allHeads, isPlanted } from './planted-model.mjs';
import { measures } from './pruning-curve.mjs';

/** @import { Head } from './planted-model.mjs' */
/** @import { Curve, Importance } from './pruning-curve.mjs' */

/**
 * What one seed gave: losses with all heads and without some, the scores of every head, its importance by every
 * measure, and the curves of every order.
 *
 * @typedef {object} Result
 * @property {number} seed
 * @property {number} loss
 * @property {Record<string, number>} lossWithout
 * @property {{ previousToken: number, induction: number }[]} scores
 * @property {Importance[]} importance
 * @property {Curve[]} curves
 */

/** @typedef {Map<string, Curve[]>} Families */

/**
 * The mean of a number over values of which there is at least one.
 *
 * @template T
 * @param {Iterable<T>} values
 * @param {(value: T) => number} number
 */
export const mean = (values, number) => meanOrNone(values, number) ?? NaN;

/**
 * @template T
 * @param {Iterable<T>} values
 * @param {(value: T) => number} number
 */
const median = (values, number) => medianOrNone(values, number) ?? NaN;

const planted = allHeads.filter(({ role }) => isPlanted(role));
const nameOf = (/** @type {Head} */ { layer, number }) => `${layer}.${number}`;

/**
 * Which heads do in fact what they were planted for, and what each measure says of them.
 *
 * @param {Result} result
 */
export function printHeads({ seed, loss, lossWithout, scores, importance }) {
  const without = Object.entries(lossWithout).map(
    ([name, of]) => `${of.toFixed(3)} without ${name}`,
  );
  console.log(`\nseed ${seed}: loss ${loss.toFixed(3)}; ${without.join(', ')} heads`);
  printTable([
    ['head', 'role', 'previous token', 'induction', ...measures.map(({ name }) => name)],
    ...allHeads.map((head, i) => [
      nameOf(head),
      head.role,
      scores[i].previousToken.toFixed(3),
      scores[i].induction.toFixed(3),
      ...importance.map((of) => of.get(head)?.toFixed(4) ?? ''),
    ]),
  ]);
}

/**
 * Share of the pairs of a planted head and one of `role` whose planted head is the more important.
 *
 * @param {Result} result
 * @param {number} measure
 * @param {string} role
 */
function pairsRankedRight({ importance }, measure, role) {
  const others = allHeads.filter((head) => head.role === role);
  const rank = (/** @type {Head} */ head) => importance[measure].get(head) ?? NaN;
  return mean(cross(planted, others), ([a, b]) => Number(rank(a) > rank(b)));
}

/**
 * How well each measure, taken of the whole model, tells planted heads from the others.
 *
 * @param {Result[]} results
 */
export function printRanks(results) {
  console.log('\nPairs of heads of which the planted one is ranked above');
  printTable([
    ['measure', 'a quiet one', 'a sharp one'],
    ...measures.map(({ name }, measure) => [
      name,
      ...['quiet', 'sharp'].map((role) => {
        const share = mean(results, (result) => pairsRankedRight(result, measure, role));
        return `${(100 * share).toFixed(0)} %`;
      }),
    ]),
  ]);
}

/** Random orders are told together. */
const familyOf = (/** @type {Curve} */ { order }) =>
  order.startsWith('random') ? 'random' : order;

/**
 * The curves of all seeds by the kind of their order, in which they come first.
 *
 * @param {Result[]} results
 */
export const familiesOf = (results) =>
  group(
    results.flatMap(({ curves }) => curves),
    familyOf,
  );

/**
 * How many heads go before the first for which this holds.
 *
 * @param {Curve} curve
 * @param {(gone: number) => boolean} holds
 */
const goneBefore = (curve, holds) => {
  const place = curve.gone.findIndex((_, i) => holds(i));
  return place === -1 ? curve.gone.length : place;
};

const goneBeforePlanted = (/** @type {Curve} */ curve) =>
  goneBefore(curve, (i) => isPlanted(curve.gone[i].role));

/** Whether some role has neither of its two heads left. */
const goneBeforeLost = (/** @type {Curve} */ curve) =>
  goneBefore(curve, (i) => {
    const gone = curve.gone.slice(0, i + 1).map(({ role }) => role);
    return ['previous token', 'induction'].some(
      (role) => gone.filter((each) => each === role).length === 2,
    );
  });

const goneBeforeDoubled = (/** @type {Curve} */ curve) =>
  goneBefore(curve, (i) => curve.points[i + 1].loss > 2 * curve.points[0].loss);

/**
 * @param {string} title
 * @param {Families} families
 * @param {'loss' | 'accuracy'} number
 */
function printMeans(title, families, number) {
  console.log(`\n${title}`);
  const [[first]] = [...families.values()];
  printTable([
    ['heads kept', ...first.points.map(({ kept }) => `${kept}`)],
    ...[...families].map(([name, curves]) => [
      name,
      ...first.points.map((_, i) => mean(curves, ({ points }) => points[i][number]).toFixed(3)),
    ]),
  ]);
}

/** @type {[name: string, number: 'forwardMs' | 'stepMs'][]} */
const timings = [
  ['forward', 'forwardMs'],
  ['step of training', 'stepMs'],
];

/**
 * Of each order, how soon planted heads go, and the curve of losses and accuracies.
 *
 * @param {Result[]} results
 */
export function printOrders(results) {
  const families = familiesOf(results);
  console.log('\nHeads that go, in the mean, before');
  printTable([
    [
      'order',
      'a planted one (best: 8)',
      'a role is lost (10)',
      'the loss doubles',
      'mean accuracy',
    ],
    ...[...families].map(([name, curves]) => [
      name,
      ...[goneBeforePlanted, goneBeforeLost, goneBeforeDoubled].map((count) =>
        mean(curves, count).toFixed(1),
      ),
      mean(curves, ({ points }) => mean(points.slice(1), ({ accuracy }) => accuracy)).toFixed(3),
    ]),
  ]);
  printMeans('Loss', families, 'loss');
  printMeans('Accuracy', families, 'accuracy');
  console.log('\nMilliseconds, the median of all orders');
  const curves = [...families.values()].flat();
  const { points } = curves[0];
  printTable([
    ['heads kept', ...points.map(({ kept }) => `${kept}`)],
    ...timings.map(([name, number]) => [
      name,
      ...points.map((_, i) => median(curves, (curve) => curve.points[i][number]).toFixed(2)),
    ]),
  ]);
}

/** A line for each number of heads kept in each order; orders are named by their measure. */
export const curveCsv = (/** @type {Result[]} */ results) =>
  csvFormat(
    results.flatMap(({ seed, curves }) =>
      curves.flatMap(({ order, points }) =>
        points.map(({ kept, loss, accuracy, forwardMs: forward_ms, stepMs: step_ms }) => ({
          seed,
          order,
          kept,
          loss,
          accuracy,
          forward_ms,
          step_ms,
        })),
      ),
    ),
  );

/** A line for each head of the whole model. Entropy is negated: larger is more important. */
export const headsCsv = (/** @type {Result[]} */ results) =>
  csvFormat(
    results.flatMap(({ seed, scores, importance }) =>
      allHeads.map((head, i) => ({
        seed,
        layer: head.layer,
        head: head.number,
        role: head.role,
        previous_token: scores[i].previousToken,
        induction: scores[i].induction,
        ...Object.fromEntries(measures.map(({ name }, m) => [name, importance[m].get(head)])),
      })),
    ),
  );
