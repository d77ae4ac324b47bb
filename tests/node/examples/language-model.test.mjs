// examples/language-model: its recipe, on a short text.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { learnPairs } from '../../../examples/language-model/byte-pairs.mjs';
import { plainText, split } from '../../../examples/language-model/corpus.mjs';
import { prepare } from '../../../examples/language-model/prepare.mjs';
import { readTokens, tokensOf } from '../../../examples/language-model/tokens.mjs';
import { checkRoundTrips, program, sample, sampleTokens } from '../lib/language-model.mjs';

function emptyFolder(context) {
  const folder = mkdtempSync(join(tmpdir(), 'headwise-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('pairs are merged by frequency, then by their order', () => {
  // "low" and, twice, " low": l-o and o-w three times each, then lo-w, then Ġ-low.
  assert.deepEqual(learnPairs(['low low low'], 257 + 3), [
    ['l', 'o'],
    ['lo', 'w'],
    ['Ġ', 'low'],
  ]);
  assert.deepEqual(learnPairs(['ab ab'], 2000), [['a', 'b']], 'no other pair occurs twice');
});

test('documents are plain text, and one of sixteen is held out', () => {
  assert.equal(plainText(' “Yes,” he said—[Laughter] it’s\n so. '), '"Yes," he said -- it\'s so.');
  const { training, heldOut } = split(Array.from({ length: 123 }, (_, i) => ({ name: i })));
  assert.deepEqual([training.length, heldOut.length], [115, 8]);
});

test('a vocabulary is learnt, by which texts become tokens and texts again', (context) => {
  const folder = emptyFolder(context);
  const tokens = prepare({ training: [sample], twice: [sample, sample] }, folder, folder);
  checkRoundTrips(tokens);
  const once = tokensOf(tokens, [sample]);
  assert.deepEqual(readTokens(join(folder, 'training.tokens')), once);
  assert.deepEqual(readTokens(join(folder, 'twice.tokens')), [...once.slice(0, -1), ...once]);
});

test('training lowers the loss; the same seed gives the same bytes with one thread and two', (context) => {
  const folder = emptyFolder(context);
  prepare({ training: [sample] }, folder, folder);
  const text = join(folder, 'training.tokens');
  const trained = (name, ...options) => {
    const printed = program('train', text, text, join(folder, name), '--quick', ...options);
    const losses = [...printed.matchAll(/held-out text (\d+\.\d+);/g)].map(([, loss]) => +loss);
    return { losses, weights: readFileSync(join(folder, name, 'model.safetensors')) };
  };
  const one = trained('one', '--threads=1');
  assert.equal(one.losses.length, 2);
  assert.ok(one.losses[0] < Math.log(1024) && one.losses[1] < one.losses[0] - 0.1, one.losses);
  const two = trained('two', '--threads=2');
  assert.ok(one.weights.equals(two.weights));
});

test('arguments that mean nothing are answered by an error', () => {
  const text = [sampleTokens, sampleTokens, 'folder'];
  assert.throws(() => program('train', 'a'), /usage/);
  assert.throws(() => program('train', 'nothing', ...text), /cannot read tokens of nothing/);
  assert.throws(() => program('train', ...text, '--stepps=1'), /--stepps=1/);
  assert.throws(() => program('train', ...text, '--steps=x'), /a number, got 'x'/);
});
