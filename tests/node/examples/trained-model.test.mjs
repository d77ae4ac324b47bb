// The model that examples/language-model made: its figures are those of its card.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { readTokens, textTokens, tokensOf } from '../../../examples/language-model/tokens.mjs';
import { checkRoundTrips, model, program, sample, sampleTokens } from '../lib/language-model.mjs';

const json = (name) => JSON.parse(readFileSync(join(model, name), 'utf8'));
const tokens = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
const card = readFileSync(join(model, 'README.md'), 'utf8');
const measured = JSON.parse(program('measure', model, sampleTokens));

test('the model is small, and its vocabulary that of its text', () => {
  assert.ok(statSync(join(model, 'model.safetensors')).size <= 2.5e6);
  checkRoundTrips(tokens);
  assert.deepEqual(readTokens(sampleTokens), tokensOf(tokens, [sample]));
});

test('the loss of held-out text is what the card says', () => {
  const [, loss] = card.match(/^\| the part of it in `held-out.txt` +\| ([\d.]+) +\|$/m);
  assert.ok(Math.abs(measured.loss - loss) < 2e-3, `${measured.loss}, ${loss}`);
});

test('heads do what the card says', () => {
  const rows = [
    ...card.matchAll(/^\| (\d) +\| (\d) +\| \**([\d.]+)\** +\| .+ \| \**([\d.]+)\** +\|$/gm),
  ];
  const { heads } = measured;
  assert.equal(rows.length, heads.length);
  for (const [i, head] of heads.entries()) {
    const [layer, number, previousToken, induction] = rows[i].slice(1).map(Number);
    assert.deepEqual([layer, number], [head.layer, head.head]);
    assert.ok(Math.abs(head.previousToken - previousToken) < 0.01, `${layer}.${number}`);
    assert.ok(Math.abs(head.induction - induction) < 0.01, `${layer}.${number}`);
  }
  assert.ok(heads.some(({ previousToken }) => previousToken > 0.5));
  assert.ok(heads.some(({ induction }) => induction > 0.3));
});

test('the model goes on with a text, the same for the same seed', () => {
  const given = readTokens(sampleTokens).slice(0, 20).map(String);
  const go = (seed) => program('generate', model, '30', seed, ...given);
  const following = go('1').trim().split('\n').map(Number);
  assert.equal(following.length, 30);
  assert.ok(following.every((token) => token >= 0 && token < 1024));
  assert.equal(go('1'), go('1'));
  assert.notEqual(go('1'), go('2'));
});
