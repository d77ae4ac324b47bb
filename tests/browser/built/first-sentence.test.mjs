// The sentence of the first screen: its weights are the model's, and its heads do what they are said to do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as headwise from '../../../dist/models.js';
import { firstSentence, sentenceFile } from '../../../scripts/lib/first-sentence.mjs';
import { fromRoot } from '../../../scripts/lib/files.mjs';

const kept = JSON.parse(readFileSync(fromRoot(sentenceFile), 'utf8'));

test('the weights are those of a forward pass, made now', async () => {
  await headwise.init();
  const { heads, ...now } = firstSentence(headwise);
  const { heads: keptHeads, ...keptRest } = kept;
  assert.deepEqual(keptRest, now);
  for (const [i, { weights, ...head }] of heads.entries()) {
    const { weights: keptWeights, ...keptHead } = keptHeads[i];
    assert.deepEqual(keptHead, head);
    for (const [at, weight] of weights.flat().entries()) {
      const before = keptWeights.flat()[at];
      assert.ok(Math.abs(weight - before) <= 2e-3, `${head.role}: ${weight}, kept ${before}`);
    }
  }
});

test('every word is one token, and attention is causal', () => {
  assert.deepEqual(kept.words, kept.text.split(' '));
  for (const { weights } of kept.heads) {
    weights.forEach((row, of) => {
      assert.equal(row.length, kept.words.length);
      assert.ok(row.every((weight, key) => key <= of || weight === 0));
      assert.ok(Math.abs(row.reduce((sum, weight) => sum + weight) - 1) < 5e-3);
    });
  }
});

test('each head looks where its role says', () => {
  const { words, heads } = kept;
  const ids = words.map((word) => words.indexOf(word));
  /** Mean weight on a key that each query from the second on names, where it names one. */
  const shareOn = ({ weights }, keyOf) => {
    const keys = words.map((_, of) => keyOf(of)).slice(1);
    const shares = keys.flatMap((key, i) => (key === undefined ? [] : [weights[i + 1][key]]));
    return shares.reduce((sum, share) => sum + share) / shares.length;
  };
  const [previous, itself, followed, many] = heads;
  assert.ok(shareOn(previous, (of) => of - 1) > 0.95);
  assert.ok(shareOn(itself, (of) => of) > 0.95);
  assert.ok(shareOn(followed, (of) => (ids[of] < of ? ids[of] + 1 : undefined)) > 0.95);
  const largest = many.weights.slice(1).map((row) => Math.max(...row));
  assert.ok(largest.reduce((sum, weight) => sum + weight) / largest.length < 0.55, largest.join());
});

test('at the chosen word the four disagree', () => {
  const { query, heads } = kept;
  const keys = heads.map(({ weights }) => weights[query].indexOf(Math.max(...weights[query])));
  assert.equal(new Set(keys).size, heads.length, keys.join());
});
