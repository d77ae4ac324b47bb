// Heads that name the indirect object (Wang et al. 2022, "Interpretability in the Wild"). In GPT-2, name movers attend to
// the indirect object at the end of the sentence and copy it; S-inhibition heads change the movers' queries, so that they
// do not attend to the subject. Here a small model is asked the same.
import { mean as meanOrNone, range } from 'd3-array';
import { randomLcg } from 'd3-random';
import { printTable } from '../lib/table.mjs';
import { allHeads, nameOf, rowsOf } from './heads.mjs';
import { drawSentences, places, swapped } from './names-model.mjs';
import { drawGrids } from './plot.mjs';

/** @import { Patch, Tensor, Transformer } from 'headwise' */
/** @import { Head } from './heads.mjs' */
/** @import { Sentences } from './names-model.mjs' */

const mean = (/** @type {number[]} */ values) => meanOrNone(values) ?? NaN;

/**
 * Means over the first axis of three.
 *
 * @param {Tensor} tensor (batch, layers, heads)
 * @returns {number[][]}
 */
const meanOverBatch = ({ data, shape: [batch, layers, heads] }) =>
  range(layers).map((layer) =>
    range(heads).map((head) =>
      mean(range(batch).map((i) => data[(i * layers + layer) * heads + head])),
    ),
  );

/**
 * What each head adds at the end to logit(target) − logit(against).
 *
 * @param {Transformer} model
 * @param {number[][]} tokens
 * @param {number[]} target
 * @param {number[]} against
 */
const attribute = (model, tokens, target, against) =>
  meanOverBatch(model.attributeLogits(tokens, { target, against }).heads);

/**
 * Each head's weight at the end on a position of each sentence.
 *
 * @param {Tensor[]} weights (batch, heads, 1, length) by layer
 * @param {number[]} positions
 */
const weightOn = (weights, positions) =>
  weights.map(({ data, shape: [, heads, , length] }) =>
    range(heads).map((head) =>
      mean(positions.map((position, i) => data[(i * heads + head) * length + position])),
    ),
  );

/**
 * @param {Transformer} model
 * @param {number[][]} tokens
 * @param {{ patch?: Patch[] }} [options]
 * @returns {Tensor}
 */
function logitsOf(model, tokens, options) {
  const { logits } = model.forward(tokens, options);
  if (logits === undefined) throw new Error('the model has no logits');
  return logits;
}

/**
 * The part of the sentences that the model ends with these tokens.
 *
 * @param {Tensor} logits
 * @param {number[]} answers
 */
const accuracyOf = (logits, answers) =>
  mean(
    answers.map((answer, i) => {
      const scores = logits.slice([i, i + 1], [places.end, places.end + 1]).data;
      return Number(scores[answer] === Math.max(...scores));
    }),
  );

/**
 * The mean of logit(object) − logit(subject) at the end.
 *
 * @param {Sentences} sentences
 */
const differenceOf =
  ({ objects, subjects }) =>
  (/** @type {Tensor} */ logits) =>
    mean(
      objects.map(
        (object, i) => logits.at(i, places.end, object) - logits.at(i, places.end, subjects[i]),
      ),
    );

/**
 * A name mover attends at the end to the indirect object, at least twice as much as to the first mention of the subject.
 *
 * @param {number} toObject
 * @param {number} toFirst
 */
const attendsToObject = (toObject, toFirst) => toObject >= 0.3 && toObject >= 2 * toFirst;

/**
 * The logits when the movers' queries at the end are those of another run, and nothing else is.
 *
 * @param {Transformer} model
 * @param {number[][]} tokens
 * @param {Tensor[]} queries of all layers
 * @param {Head[]} movers
 */
const withQueries = (model, tokens, queries, movers) =>
  logitsOf(model, tokens, {
    patch: movers.map(({ layer, head }) => ({
      at: 'queries',
      layer,
      heads: [head],
      positions: [places.end],
      value: queries[layer],
    })),
  });

/**
 * @param {Transformer} model
 * @param {number} count of sentences
 * @param {typeof attendsToObject} isMover of heads above layer 0
 */
export async function findNameMovers(model, count, isMover = attendsToObject) {
  const sentences = drawSentences(count, randomLcg(2));
  const { tokens, objects, subjects, absent } = sentences;
  const other = swapped(sentences).tokens;
  const capture = /** @type {const} */ (['z', 'queries']);
  const clean = model.forward(tokens, { capture, returnWeights: { queries: 'last' } });
  const metric = differenceOf(sentences);
  const [right, wrong] = [logitsOf(model, tokens), logitsOf(model, other)].map(metric);
  /** The part of the difference that a patch brings back. */
  const share = (/** @type {number} */ value) => (value - wrong) / (right - wrong);
  /** Patches one head at a time from the run on `tokens` into that on the swapped sentences. */
  const patched = async (/** @type {'z' | 'queries'} */ at) =>
    rowsOf(await model.patchHeads(tokens, other, { metric, at })).map((row) => row.map(share));

  const firstIsObject = tokens.map((row, i) => row[places.first] === objects[i]);
  const on = (/** @type {(is: boolean) => number} */ place) =>
    weightOn(clean.attentionWeights, firstIsObject.map(place));
  const toObject = on((is) => (is ? places.first : places.second));
  const toFirst = on((is) => (is ? places.second : places.first));
  const toSubject = on(() => places.subject);
  const movers = allHeads(model).filter(
    ({ layer, head }) => layer > 0 && isMover(toObject[layer][head], toFirst[layer][head]),
  );

  // S-inhibition: what a head below changes in the movers' queries, and these in the answer.
  const last = Math.max(...movers.map(({ layer }) => layer));
  const below = allHeads(model).filter(({ layer }) => layer < last);
  const inhibition = below.map(({ layer, head }) => {
    const { captured } = model.forward(other, {
      capture: ['queries'],
      patch: [
        { at: 'z', layer, heads: [head], positions: [places.end], value: clean.captured.z[layer] },
      ],
    });
    const value = share(metric(withQueries(model, other, captured.queries, movers)));
    return { layer, head, value };
  });
  return {
    ...{ right, wrong, movers, toObject, toFirst, toSubject },
    accuracy: accuracyOf(logitsOf(model, tokens), objects),
    onObject: attribute(model, tokens, objects, absent),
    onSubject: attribute(model, tokens, subjects, absent),
    z: await patched('z'),
    queries: await patched('queries'),
    allQueries: share(metric(withQueries(model, other, clean.captured.queries, movers))),
    inhibition: inhibition.sort((a, b) => b.value - a.value),
  };
}

/** @typedef {Awaited<ReturnType<typeof findNameMovers>>} NameMovers */

const percent = (/** @type {number} */ value) => `${(100 * value).toFixed(0)} %`;

export function printNames(/** @type {NameMovers} */ found) {
  const { accuracy, right, wrong, movers, allQueries, inhibition, onObject, onSubject } = found;
  console.log(
    `${percent(accuracy)} of the sentences end with the indirect object (IO). logit(IO) − logit(S) is ` +
      `${right.toFixed(2)}, and ${wrong.toFixed(2)} if the second mention of the subject (S) is IO.`,
  );
  const rows = onObject.flatMap((heads, layer) =>
    heads.map((value, head) => ({ layer, head, value: value - onSubject[layer][head] })),
  );
  const columns = /** @type {const} */ ([
    ['to IO', 'toObject'],
    ['to S1', 'toFirst'],
    ['to S2', 'toSubject'],
    ['adds to IO', 'onObject'],
    ['adds to S', 'onSubject'],
    ['z patched', 'z'],
    ['queries patched', 'queries'],
  ]);
  printTable([
    ['head', ...columns.map(([title]) => title)],
    ...rows
      .sort((a, b) => b.value - a.value)
      .slice(0, 8)
      .map((head) => [
        nameOf(head),
        ...columns.map(([, key]) => found[key][head.layer][head.head].toFixed(2)),
      ]),
  ]);
  const suppressors = rows.filter(
    ({ layer, head }) => found.toSubject[layer][head] >= 0.5 && onSubject[layer][head] < -0.5,
  );
  console.log(
    `Heads that attend to S2 and lower logit(S): ${suppressors.map(nameOf).join(', ') || 'none'}.`,
  );
  if (movers.length === 0) {
    console.log('No head attends to IO much more than to S: this model has no name movers.');
    return;
  }
  console.log(
    `Name movers: ${movers.map(nameOf).join(', ')}. Their queries alone bring back ${percent(allQueries)} of the ` +
      'difference; of that, by the heads that write into these queries:',
  );
  printTable([
    ['head', 'through queries', 'to S2'],
    ...inhibition
      .slice(0, 4)
      .map(({ layer, head, value }) => [
        nameOf({ layer, head }),
        percent(value),
        found.toSubject[layer][head].toFixed(2),
      ]),
  ]);
}

export const drawNames = (
  /** @type {NameMovers} */ { onObject, onSubject, toObject, z, queries },
) =>
  drawGrids('Heads that name the indirect object', [
    [
      'Adds to logit(IO) − logit(S)',
      onObject.map((heads, i) => heads.map((value, j) => value - onSubject[i][j])),
    ],
    ['Attends to IO', toObject],
    ['Brings back, by its z', z],
    ['Brings back, by its queries', queries],
  ]);
