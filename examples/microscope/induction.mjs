// Induction heads (Olsson et al. 2022, "In-context Learning and Induction Heads") attend to the token after an earlier
// copy of the current one. Here they are found by their attention in repeated random tokens. Then patching shows what
// they do: the model predicts the second copy by them.
import { extent, mean as meanOrNone, range, shuffler } from 'd3-array';
import { randomInt, randomLcg } from 'd3-random';
import { inductionScores } from 'headwise';
import { svgOf } from '../lib/plot.mjs';
import { printTable } from '../lib/table.mjs';
import { allHeads, nameOf } from './heads.mjs';
import { gridWidth, headGrid, linePanel } from './plot.mjs';

/** @import { Patch, Tensor, Transformer } from 'headwise' */
/** @import { Head } from './heads.mjs' */

/** @typedef {{ first: number, second: number, gain: number, byPosition: number[] }} Losses nats a token */

/** An induction head has at least this score. */
const threshold = 0.3;

const mean = (/** @type {number[]} */ values) => meanOrNone(values) ?? NaN;

/**
 * Token 0, which begins a document, then random tokens, twice.
 *
 * @param {Transformer} model
 * @param {{ sequences: number, period: number }} options
 */
function repeatedTokens({ vocabularySize }, { sequences, period }) {
  const draw = randomInt.source(randomLcg(1))(1, vocabularySize);
  return range(sequences).map(() => {
    const once = range(period).map(draw);
    return [0, ...once, ...once];
  });
}

/**
 * The loss of each position's next token, a mean over sequences.
 *
 * @param {Tensor} logits (batch, length, vocabulary)
 * @param {number[][]} tokens
 */
function lossByPosition({ data, shape: [batch, length, size] }, tokens) {
  const losses = new Array(length - 1).fill(0);
  for (let sample = 0; sample < batch; sample++) {
    for (let position = 0; position < length - 1; position++) {
      const first = (sample * length + position) * size;
      let sum = 0;
      for (let i = first; i < first + size; i++) sum += Math.exp(data[i]);
      losses[position] +=
        (Math.log(sum) - data[first + tokens[sample][position + 1]]) / tokens.length;
    }
  }
  return losses;
}

/**
 * The losses of both copies when the z of some heads is zero. `gain` is what the model gains from the first copy.
 *
 * @param {Transformer} model
 * @param {number[][]} tokens of `repeatedTokens`
 * @param {Head[]} heads
 * @returns {Losses}
 */
function lossesWithout(model, tokens, heads) {
  /** @type {Patch[]} */
  const patch = heads.map(({ layer, head }) => ({ at: 'z', layer, heads: [head], value: 'zero' }));
  const { logits } = model.forward(tokens, { patch });
  if (logits === undefined) throw new Error('the model has no logits');
  const byPosition = lossByPosition(logits, tokens);
  const period = (tokens[0].length - 1) / 2;
  const first = mean(byPosition.slice(0, period));
  // The last token of the first copy is left out: what follows it is random.
  const second = mean(byPosition.slice(period + 1));
  return { first, second, gain: first - second, byPosition };
}

/**
 * Finds induction heads, and measures the model without them and without as many others, drawn `draws` times.
 *
 * @param {Transformer} model
 * @param {{ sequences: number, period: number, draws: number }} options
 */
export function findInduction(model, options) {
  const tokens = repeatedTokens(model, options);
  const { pattern } = model.forward(tokens, { capture: ['pattern'] }).captured;
  const scores = pattern.map((weights) => inductionScores(weights, tokens));
  const isFound = (/** @type {Head} */ { layer, head }) => scores[layer][head] >= threshold;
  const [found, others] = [true, false].map((each) =>
    allHeads(model).filter((head) => isFound(head) === each),
  );
  const shuffle = shuffler(randomLcg(2));
  const draw = (/** @type {Head[]} */ heads) =>
    range(options.draws).map(() =>
      lossesWithout(model, tokens, shuffle([...heads]).slice(0, found.length)),
    );
  const aboveFirst = others.filter(({ layer }) => layer > 0);
  /** @type {Map<string, Losses[]>} */
  const losses = new Map([
    ['all heads', [lossesWithout(model, tokens, [])]],
    ['no induction heads', [lossesWithout(model, tokens, found)]],
    ['as many others', draw(others)],
    ['as many others, none of layer 0', draw(aboveFirst)],
  ]);
  return { scores, found, losses };
}

/** @typedef {ReturnType<typeof findInduction>} Induction */

export function printInduction(/** @type {Induction} */ { scores, found, losses }) {
  const names = found.map(
    (head) => `${nameOf(head)} (${scores[head.layer][head.head].toFixed(2)})`,
  );
  console.log(`Induction heads, by their score: ${names.join(', ')}`);
  printTable([
    ['loss of random tokens that repeat', 'first copy', 'second copy', 'gain', 'gains'],
    ...[...losses].map(([name, runs]) => [
      name,
      .../** @type {const} */ (['first', 'second', 'gain']).map((key) =>
        mean(runs.map((run) => run[key])).toFixed(2),
      ),
      runs.length === 1
        ? ''
        : extent(runs, ({ gain }) => gain)
            .map((gain = NaN) => gain.toFixed(2))
            .join(' to '),
    ]),
  ]);
}

export function drawInduction(/** @type {Induction} */ { scores, losses }) {
  const left = gridWidth(scores) + 48;
  const byPosition = [...losses].map(([name, runs]) => {
    const means = runs[0].byPosition.map((_, i) => mean(runs.map((run) => run.byPosition[i])));
    return /** @type {const} */ ([name, means]);
  });
  return svgOf({
    ...{ width: left + 640, height: 320, title: 'Induction heads' },
    parts: [
      headGrid({ title: 'Induction score', values: scores, left: 16 }),
      linePanel({
        ...{ title: 'Loss (nats a token)', below: 'position', lines: new Map(byPosition) },
        ...{ left, width: 380, height: 320 },
      }),
    ],
  });
}
