// What becomes of a model as its heads go, the least important first.
import { shuffler, sort } from 'd3-array';
import { randomLcg } from 'd3-random';
import { measureHeadImportance, SGD } from 'headwise/models';
import { allHeads, roles } from './planted-model.mjs';

/** @import { Head, PlantedModel } from './planted-model.mjs' */

/**
 * A point of a curve: heads kept, the loss and the share of right answers with them, and milliseconds.
 *
 * @typedef {{ kept: number, loss: number, accuracy: number, forwardMs: number, stepMs: number }} Point
 */

/**
 * What becomes of a model in one order: a point before each head that goes, and one after the last.
 *
 * @typedef {{ order: string, points: Point[], gone: Head[] }} Curve
 */

/** @typedef {Map<Head, number>} Importance */

/** @typedef {{ name: string, options: { measure: import('headwise').HeadMeasure, normalize?: boolean }, sign: number }} Measure */

/**
 * What ranks heads. The larger the number times `sign`, the later a head goes: low entropy is taken for importance.
 *
 * @type {Measure[]}
 */
export const measures = [
  { name: 'gradient', options: { measure: 'gradient' }, sign: 1 },
  { name: 'gradient-normalized', options: { measure: 'gradient', normalize: true }, sign: 1 },
  { name: 'ablation', options: { measure: 'ablation' }, sign: 1 },
  { name: 'confidence', options: { measure: 'confidence' }, sign: 1 },
  { name: 'entropy', options: { measure: 'entropy' }, sign: -1 },
];

/** A model with some of its heads gone. */
class PrunedModel {
  constructor(/** @type {PlantedModel} */ planted) {
    this.model = planted.copy();
    /** By layer, the numbers that the heads left had before any went. */
    this.left = roles.map((ofLayer) => [...ofLayer.keys()]);
  }

  get numHeads() {
    return this.left.flat().length;
  }

  /** Heads that may go: a layer keeps its last one. */
  removable() {
    return allHeads.filter(
      ({ layer, number }) => this.left[layer].length > 1 && this.left[layer].includes(number),
    );
  }

  remove(/** @type {Head} */ { layer, number }) {
    const place = this.left[layer].indexOf(number);
    this.model.pruneHeads({ [layer]: [place] });
    this.left[layer].splice(place, 1);
  }

  /**
   * By head of `allHeads`.
   *
   * @param {Measure} measure
   * @param {import('headwise').ModelMeasureBatch} batch
   */
  async importance({ options, sign }, batch) {
    const numbers = await measureHeadImportance(this.model, { ...options, batches: [batch] });
    /** @type {Importance} */
    const importance = new Map();
    for (const head of this.removable()) {
      const place = this.left[head.layer].indexOf(head.number);
      importance.set(head, sign * numbers[head.layer][place]);
    }
    return importance;
  }
}

/**
 * Importance of every head of the whole model, by head.
 *
 * @param {PlantedModel} planted
 * @param {Measure} measure
 */
export async function importanceOf(planted, measure) {
  const { tokens, targets } = planted.measuringBatch();
  const whole = new PrunedModel(planted);
  const importance = await whole.importance(measure, { tokens, targets });
  whole.model.dispose();
  return importance;
}

/**
 * What a call returns, and the milliseconds that it takes.
 *
 * @template T
 * @param {() => T} call
 * @returns {[result: T, milliseconds: number]}
 */
function timed(call) {
  const began = performance.now();
  const result = call();
  return [result, performance.now() - began];
}

/**
 * Share of the targets that have the largest logit.
 *
 * @param {import('headwise').Tensor} logits
 * @param {import('headwise').Tokens} targets
 */
function accuracyOf(logits, targets) {
  const vocabularySize = logits.shape[2];
  let [asked, right] = [0, 0];
  targets.data.forEach((target, row) => {
    if (target < 0) return;
    const of = logits.data.subarray(row * vocabularySize, (row + 1) * vocabularySize);
    asked++;
    if (of.every((logit) => logit <= of[target])) right++;
  });
  return right / asked;
}

/**
 * @param {PrunedModel} pruned
 * @param {PlantedModel} planted
 * @returns {Point}
 */
function pointOf({ model, numHeads }, planted) {
  const test = planted.testBatch();
  const training = planted.trainingBatch(0);
  const [{ logits }, forwardMs] = timed(() => model.forward(test.tokens));
  const loss = model.loss(test.tokens, test.targets);
  // A step that changes nothing but takes as long as any.
  const still = new SGD(model, { learningRate: 0 });
  const [, stepMs] = timed(() => model.trainStep(training.tokens, training.targets, still));
  still.dispose();
  return { kept: numHeads, loss, accuracy: accuracyOf(logits, test.targets), forwardMs, stepMs };
}

/**
 * The curve from all heads to one a layer.
 *
 * @param {PlantedModel} planted
 * @param {string} order
 * @param {(pruned: PrunedModel) => Importance | Promise<Importance>} askImportance asked before each head that goes
 */
async function prune(planted, order, askImportance) {
  const pruned = new PrunedModel(planted);
  /** @type {Curve} */
  const curve = { order, points: [pointOf(pruned, planted)], gone: [] };
  for (;;) {
    const removable = pruned.removable();
    if (removable.length === 0) break;
    const importance = await askImportance(pruned);
    const [head] = sort(removable, (each) => importance.get(each));
    pruned.remove(head);
    curve.gone.push(head);
    curve.points.push(pointOf(pruned, planted));
  }
  pruned.model.dispose();
  return curve;
}

/**
 * By a measure taken once, of the whole model.
 *
 * @param {PlantedModel} planted
 * @param {Measure} measure
 */
export async function pruneBy(planted, measure) {
  const importance = await importanceOf(planted, measure);
  return prune(planted, measure.name, () => importance);
}

/**
 * By a measure taken again of what is left after each head that went.
 *
 * @param {PlantedModel} planted
 * @param {Measure} measure
 */
export function pruneByMeasuringAnew(planted, measure) {
  const { tokens, targets } = planted.measuringBatch();
  return prune(planted, `${measure.name}-anew`, (pruned) =>
    pruned.importance(measure, { tokens, targets }),
  );
}

/**
 * @param {PlantedModel} planted
 * @param {number} number which random order of its seed
 */
export function pruneAtRandom(planted, number) {
  // Of fractions it takes all digits; neighbouring integers begin alike.
  const random = randomLcg(1 / (10 * planted.seed + number));
  const places = shuffler(random)([...allHeads.keys()]);
  const importance = new Map(allHeads.map((head, i) => [head, places[i]]));
  return prune(planted, `random-${number}`, () => importance);
}
