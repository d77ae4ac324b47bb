// The sentence of the first screen: its weights are the model's, and its heads do what the page says of them.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as headwise from 'headwise/models';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { firstSentence, sentenceFile } from '../../scripts/first-sentence.mjs';

const kept = JSON.parse(readFileSync(fromRoot(sentenceFile), 'utf8'));

it('its weights are those of a forward pass, causal and one word a token', async () => {
  await headwise.init();
  const { heads, ...now } = firstSentence(headwise);
  const { heads: keptHeads, ...keptRest } = kept;
  expect(keptRest).toEqual(now);
  expect(kept.words).toEqual(kept.text.split(' '));
  heads.forEach(({ weights, ...head }, i) => {
    const { weights: keptWeights, ...keptHead } = keptHeads[i];
    expect(keptHead).toEqual(head);
    keptWeights.forEach((row, query) => {
      expect(row).toHaveLength(kept.words.length);
      row.forEach((weight, key) => {
        expect(Math.abs(weight - weights[query][key])).toBeLessThanOrEqual(2e-3);
        if (key > query) expect(weight).toBe(0);
      });
      expect(Math.abs(row.reduce((sum, weight) => sum + weight) - 1)).toBeLessThan(5e-3);
    });
  });
});

it('its heads look where their roles say, and differ at the chosen word', () => {
  const { words, heads, query } = kept;
  const ids = words.map((word) => words.indexOf(word));
  /** The mean weight on the key that `keyOf` gives for each query from the second on, where it gives one. */
  const shareOn = ({ weights }, keyOf) => {
    const keys = words.map((_, of) => keyOf(of)).slice(1);
    const shares = keys.flatMap((key, i) => (key === undefined ? [] : [weights[i + 1][key]]));
    return shares.reduce((sum, share) => sum + share) / shares.length;
  };
  const [previous, itself, followed, earlier] = heads;
  expect(heads.map(({ role }) => role)).toEqual(['previous', 'itself', 'followed', 'earlier']);
  const placeBefore = (of) => (ids[of] < of ? ids[of] : undefined);
  expect(shareOn(previous, (of) => of - 1)).toBeGreaterThan(0.7);
  expect(shareOn(itself, (of) => of)).toBeGreaterThan(0.95);
  expect(shareOn(followed, (of) => placeBefore(of) + 1 || undefined)).toBeGreaterThan(0.95);
  expect(shareOn(earlier, placeBefore)).toBeGreaterThan(0.8);
  const keys = heads.map(({ weights }) => weights[query].indexOf(Math.max(...weights[query])));
  expect(new Set(keys).size).toBe(heads.length);
});
