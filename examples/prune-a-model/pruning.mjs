// What becomes of a model as its heads go, the least important first.
import { median, sort, sum } from 'd3-array';
import { measureHeadImportance, Tensor } from 'headwise';
import { lossOf } from './text.mjs';

/** @import { HeadMeasure, Transformer } from 'headwise' */
/** @import { Checkpoint } from './checkpoint.mjs' */
/** @import { Batches, Text } from './text.mjs' */

/**
 * Heads of a layer that share a key-value head, and so can only go together: one head, unless the model has grouped
 * queries.
 *
 * @typedef {{ layer: number, heads: number[] }} Group
 */

/**
 * `staying` are the last of each layer, however unimportant they are.
 *
 * @typedef {{ name: string, going: Group[], staying: Group[] }} Order
 */

/**
 * A point of a curve: how many heads are gone, the groups that went since the point before, and the loss.
 *
 * @typedef {{ gone: number, since: Group[], loss: number }} Point
 */

/** @typedef {{ order: Order, points: Point[] }} Curve */

/**
 * What ranks heads. The larger the number times `sign`, the later a head goes: low entropy is taken for importance.
 *
 * @type {{ name: HeadMeasure, sign: number }[]}
 */
export const allMeasures = [
  { name: 'gradient', sign: 1 },
  { name: 'ablation', sign: 1 },
  { name: 'confidence', sign: 1 },
  { name: 'entropy', sign: -1 },
];

/**
 * Every group, layer by layer.
 *
 * @param {Transformer} model
 * @returns {Group[]}
 */
export const allGroups = (model) =>
  Array.from({ length: model.numLayers }, (_, layer) => {
    const { numHeads, numKvHeads } = model.attention(layer);
    const size = numHeads / numKvHeads;
    return Array.from({ length: numKvHeads }, (_, group) => ({
      layer,
      heads: Array.from({ length: size }, (_, i) => group * size + i),
    }));
  }).flat();

export const countHeads = (/** @type {Group[]} */ groups) =>
  sum(groups, ({ heads }) => heads.length);

/**
 * The measure of every head, a list for each layer.
 *
 * @param {Transformer} model
 * @param {HeadMeasure} measure
 * @param {Batches} batches
 */
export const measureHeads = (model, measure, batches) =>
  measureHeadImportance(model, { measure, batches });

/**
 * Groups by ascending numbers, one for each of them.
 *
 * @param {string} name
 * @param {Group[]} groups
 * @param {ArrayLike<number>} numbers
 * @returns {Order}
 */
function orderBy(name, groups, numbers) {
  /** @type {Order} */
  const order = { name, going: [], staying: [] };
  const left = groups.map(({ layer }) => layer);
  for (const place of sort(groups.keys(), (i) => numbers[i])) {
    const { layer } = groups[place];
    if (left.filter((each) => each === layer).length === 1) {
      order.staying.push(groups[place]);
    } else {
      order.going.push(groups[place]);
      left.splice(left.indexOf(layer), 1);
    }
  }
  return order;
}

/**
 * The groups by the mean importance of their heads, the least important first.
 *
 * @param {Group[]} groups
 * @param {(typeof allMeasures)[number]} measure
 * @param {number[][]} importance
 */
export const orderOf = (groups, { name, sign }, importance) =>
  orderBy(
    name,
    groups,
    groups.map(
      ({ layer, heads }) => (sign * sum(heads, (head) => importance[layer][head])) / heads.length,
    ),
  );

/**
 * @param {Group[]} groups
 * @param {number} seed
 * @param {number} number which random order of its seed
 */
export const randomOrder = (groups, seed, number) =>
  orderBy(`random-${number + 1}`, groups, Tensor.randn([groups.length], seed + number).data);

/**
 * A model of its own without these heads.
 *
 * @param {Checkpoint} checkpoint
 * @param {Group[]} gone
 */
export function pruned(checkpoint, gone) {
  /** @type {Record<number, number[]>} */
  const heads = {};
  for (const group of gone) heads[group.layer] = [...(heads[group.layer] ?? []), ...group.heads];
  const model = checkpoint.model();
  model.pruneHeads(heads);
  return model;
}

/**
 * What is left without these groups, of which the first `before` had gone at the point before.
 *
 * @param {Checkpoint} checkpoint
 * @param {Group[]} gone
 * @param {number} before
 * @param {Batches} testing
 * @returns {Point}
 */
function pointOf(checkpoint, gone, before, testing) {
  const model = pruned(checkpoint, gone);
  const loss = lossOf(model, testing);
  model.dispose();
  return { gone: countHeads(gone), since: gone.slice(before), loss };
}

/**
 * @param {number} groups
 * @param {number} steps
 */
const groupsAStep = (groups, steps) => Math.max(Math.ceil(groups / steps), 1);

/**
 * The loss with all heads, and after about every (groups / steps)-th group that goes.
 *
 * @param {Checkpoint} checkpoint
 * @param {Order} order
 * @param {Batches} testing
 * @param {number} steps
 * @returns {Curve}
 */
export function prune(checkpoint, order, testing, steps) {
  const { going } = order;
  const step = groupsAStep(going.length, steps);
  const points = [pointOf(checkpoint, [], 0, testing)];
  for (let before = 0; before < going.length; before += step) {
    points.push(pointOf(checkpoint, going.slice(0, before + step), before, testing));
  }
  return { order, points };
}

/**
 * The same by a measure that is taken again, of what is left, before each of these steps.
 *
 * @param {Checkpoint} checkpoint
 * @param {(typeof allMeasures)[number]} measure
 * @param {Text} text
 * @param {number} steps
 * @returns {Promise<Curve>}
 */
export async function pruneAnew(checkpoint, measure, { measuring, testing }, steps) {
  const points = [pointOf(checkpoint, [], 0, testing)];
  /** @type {Group[]} */
  const going = [];
  const whole = checkpoint.model();
  let staying = allGroups(whole);
  const total = staying.length - whole.numLayers;
  whole.dispose();
  const step = groupsAStep(total, steps);
  while (going.length < total) {
    const before = going.length;
    const left = pruned(checkpoint, going);
    const groups = allGroups(left);
    const importance = await measureHeads(left, measure.name, measuring);
    left.dispose();
    const next = orderOf(groups, measure, importance).going.slice(
      0,
      Math.min(step, total - before),
    );
    // The groups that are left have numbers of their own, but the same places.
    going.push(...next.map((group) => staying[groups.indexOf(group)]));
    staying = staying.filter((group) => !going.includes(group));
    points.push(pointOf(checkpoint, going, before, testing));
  }
  return { order: { name: `${measure.name}-anew`, going, staying }, points };
}

/**
 * The heads that can go until the loss first grows by this share.
 *
 * @param {Curve} curve
 * @param {number} share
 */
export function headsWithin({ points }, share) {
  const beyond = points.findIndex(({ loss }) => !(loss < (1 + share) * points[0].loss));
  return points.at(beyond === -1 ? -1 : Math.max(beyond - 1, 0))?.gone ?? 0;
}

/**
 * Tokens a second of one forward over all batches.
 *
 * @param {Transformer} model
 * @param {Batches} batches
 */
function prefillSpeed(model, batches) {
  const began = performance.now();
  for (const { tokens } of batches) model.forward(tokens);
  return (
    (1000 * batches.flatMap(({ tokens }) => tokens).flat().length) / (performance.now() - began)
  );
}

/**
 * Tokens a second of `generate` behind a few tokens.
 *
 * @param {Transformer} model
 * @param {number[]} tokens
 */
async function generationSpeed(model, tokens) {
  const prompt = tokens.slice(0, 8);
  const maxNewTokens = Math.min(128, model.maxLength - prompt.length + 1);
  const began = performance.now();
  await model.generate(prompt, { maxNewTokens });
  return (1000 * maxNewTokens) / (performance.now() - began);
}

/**
 * Speeds with all heads, with half of those gone that go, and with all of them gone: medians of rounds in which the
 * models take turns.
 *
 * @param {Checkpoint} checkpoint
 * @param {Order} order
 * @param {Batches} testing
 */
export async function measureSpeed(checkpoint, { going, staying }, testing) {
  const measured = [0, Math.ceil(going.length / 2), going.length].map((groups) => ({
    heads: countHeads([...going.slice(groups), ...staying]),
    model: pruned(checkpoint, going.slice(0, groups)),
    /** @type {number[]} */ prefill: [],
    /** @type {number[]} */ generation: [],
  }));
  for (let round = 0; round < 5; round++) {
    for (const { model, prefill, generation } of measured) {
      prefill.push(prefillSpeed(model, testing));
      generation.push(await generationSpeed(model, testing[0].tokens[0]));
    }
  }
  return measured.map(({ heads, model, prefill, generation }) => {
    model.dispose();
    return { heads, prefill: median(prefill) ?? NaN, generation: median(generation) ?? NaN };
  });
}
