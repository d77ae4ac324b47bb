// What becomes of a model as its heads go, the least important first.
import { least, shuffler } from 'd3-array';
import { randomLcg } from 'd3-random';
import { measureHeadImportance, SGD } from 'headwise';
import { allHeads, roles } from './planted-model.mjs';

/** What ranks heads. The larger the number times `sign`, the later a head goes: low entropy is taken for importance. */
export const measures = [
  { name: 'gradient', options: { measure: 'gradient' }, sign: 1 },
  { name: 'gradient-normalized', options: { measure: 'gradient', normalize: true }, sign: 1 },
  { name: 'ablation', options: { measure: 'ablation' }, sign: 1 },
  { name: 'confidence', options: { measure: 'confidence' }, sign: 1 },
  { name: 'entropy', options: { measure: 'entropy' }, sign: -1 },
];

/** A model with some of its heads gone. */
class PrunedModel {
  constructor(planted) {
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

  remove({ layer, number }) {
    const place = this.left[layer].indexOf(number);
    this.model.pruneHeads({ [layer]: [place] });
    this.left[layer].splice(place, 1);
  }

  /** By head of `allHeads`. */
  async importance({ options, sign }, batch) {
    const numbers = await measureHeadImportance(this.model, { ...options, batches: [batch] });
    const importance = new Map();
    for (const head of this.removable()) {
      const place = this.left[head.layer].indexOf(head.number);
      importance.set(head, sign * numbers[head.layer][place]);
    }
    return importance;
  }
}

/** Importance of every head of the whole model, by head. */
export async function importanceOf(planted, measure) {
  const { tokens, targets } = planted.measuringBatch();
  const whole = new PrunedModel(planted);
  const importance = await whole.importance(measure, { tokens, targets });
  whole.model.dispose();
  return importance;
}

function millisecondsOf(call) {
  const began = performance.now();
  call();
  return performance.now() - began;
}

/** Share of the targets that have the largest logit. */
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

function pointOf({ model, numHeads }, planted) {
  const test = planted.testBatch();
  const training = planted.trainingBatch(0);
  let logits;
  const forwardMs = millisecondsOf(() => ({ logits } = model.forward(test.tokens)));
  const loss = model.loss(test.tokens, test.targets);
  // A step that changes nothing but takes as long as any.
  const still = new SGD(model, { learningRate: 0 });
  const stepMs = millisecondsOf(() => model.trainStep(training.tokens, training.targets, still));
  still.dispose();
  return { kept: numHeads, loss, accuracy: accuracyOf(logits, test.targets), forwardMs, stepMs };
}

/** The curve from all heads to one a layer. `importanceOf` is asked before each head that goes. */
async function prune(planted, order, askImportance) {
  const pruned = new PrunedModel(planted);
  const curve = { order, points: [pointOf(pruned, planted)], gone: [] };
  while (pruned.removable().length > 0) {
    const importance = await askImportance(pruned);
    const head = least(pruned.removable(), (each) => importance.get(each));
    pruned.remove(head);
    curve.gone.push(head);
    curve.points.push(pointOf(pruned, planted));
  }
  pruned.model.dispose();
  return curve;
}

/** By a measure taken once, of the whole model. */
export async function pruneBy(planted, measure) {
  const importance = await importanceOf(planted, measure);
  return prune(planted, measure.name, () => importance);
}

/** By a measure taken again of what is left after each head that went. */
export function pruneByMeasuringAnew(planted, measure) {
  const { tokens, targets } = planted.measuringBatch();
  return prune(planted, `${measure.name}-anew`, (pruned) =>
    pruned.importance(measure, { tokens, targets }),
  );
}

export function pruneAtRandom(planted, number) {
  // Of fractions it takes all digits; neighbouring integers begin alike.
  const random = randomLcg(1 / (10 * planted.seed + number));
  const places = shuffler(random)([...allHeads.keys()]);
  const importance = new Map(allHeads.map((head, i) => [head, places[i]]));
  return prune(planted, `random-${number}`, () => importance);
}
