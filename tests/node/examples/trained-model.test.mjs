// examples/language-model: its recipe on a short text, and its trained model, which matches its model card.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { everyday, plainText, split } from '../../../examples/language-model/corpus.mjs';
import { prepare } from '../../../examples/language-model/prepare.mjs';
import { storyteller } from '../../../examples/language-model/stories/stories.mjs';
import {
  readTokens,
  textTokens,
  tokensOf,
  wordsOf,
} from '../../../examples/language-model/tokens.mjs';
import { output, project, temporaryFolder } from '../lib/child.mjs';

const example = join(project, 'examples/language-model');
const model = join(example, 'model');

/** A text that the model was not trained on, and its tokens. */
const sample = readFileSync(join(example, 'held-out.txt'), 'utf8').trim();
const sampleTokens = join(example, 'held-out.tokens');

/** Runs the program and gives what it printed; throws with its errors if it fails. */
function program(...args) {
  const native = process.env.HEADWISE_NATIVE_BUILD;
  assert.ok(native, 'HEADWISE_NATIVE_BUILD names the folder of the native build');
  return output(join(native, 'examples', 'headwise-example-language-model'), args);
}

/** Round trips through a vocabulary that any text must survive. */
function checkRoundTrips({ encode, decode }) {
  for (const text of [
    sample,
    ' naïve — “quoted” … 3.14 %',
    '日本語 🙂',
    '\n\ttabs  and   spaces',
  ]) {
    assert.equal(decode(encode(text)), text);
  }
  assert.ok(sample.length / encode(sample).length > 2.5, 'pieces are longer than letters');
}

test('documents are plain text, and one of fifty is held out', () => {
  assert.equal(plainText(' “Yes,” he said—[Laughter] it’s\n so. '), '"Yes," he said -- it\'s so.');
  const { training, heldOut } = split(Array.from({ length: 123 }, (_, i) => ({ name: i })));
  assert.deepEqual([training.length, heldOut.length], [121, 2]);
});

test('stories are whole, differ, and are the same for the same seed', () => {
  const countries = [{ one: 'France', capital: 'Paris', region: 'Western Europe' }];
  const tell = (seed, count) =>
    Array.from({ length: count }, storyteller(seed, new Map([['country', countries]])));
  const stories = tell(1, 3000);
  assert.deepEqual(tell(1, 9), stories.slice(0, 9));
  assert.ok(new Set([...stories, ...tell(2, 3000)]).size > 5500);
  for (const story of stories) {
    assert.match(story, /^["A-Z].*[.?!]"?$/);
    assert.doesNotMatch(story, /[{}()|]|undefined| [ .,?!]|\ba [aei]/i, story);
    const [, name, he] = /^(\w+) was a \w+ \w+ (?:boy|girl)\. (He|She) /.exec(story) ?? [];
    if (he === 'She') assert.doesNotMatch(story, new RegExp(`${name} \\w+ his `), story);
  }
});

test('a learnt vocabulary encodes and decodes texts', (context) => {
  const folder = temporaryFolder(context);
  const texts = { training: [sample], twice: [sample, sample] };
  const tokens = prepare([sample], texts, folder, folder);
  checkRoundTrips(tokens);
  const once = tokensOf(tokens, [sample]);
  assert.deepEqual(readTokens(join(folder, 'training.tokens')), once);
  assert.deepEqual(readTokens(join(folder, 'twice.tokens')), [...once.slice(0, -1), ...once]);
});

test('training lowers the loss; the same seed gives the same bytes with one thread, two, and interrupted', (context) => {
  const folder = temporaryFolder(context);
  prepare([sample], { training: [sample] }, folder, folder);
  const text = join(folder, 'training.tokens');
  const trained = (name, ...options) => {
    const printed = program('train', text, text, join(folder, name), '--quick', ...options);
    const losses = [...printed.matchAll(/held-out text (\d+\.\d+);/g)].map(([, loss]) => +loss);
    return { losses, weights: readFileSync(join(folder, name, 'model.safetensors')) };
  };
  const one = trained('one', '--threads=1');
  assert.equal(one.losses.length, 3);
  assert.ok(one.losses[0] < Math.log(8192) && one.losses[1] < one.losses[0] - 0.1, one.losses);
  const two = trained('two', '--threads=2');
  assert.ok(one.weights.equals(two.weights));
  // Within the first stage, and between both.
  assert.equal(trained('three', '--until=40').losses.length, 1);
  const stage = trained('three', '--resume', '--until=60');
  assert.ok(!stage.weights.equals(two.weights));
  assert.ok(trained('three', '--resume').weights.equals(two.weights));
});

const json = (name) => JSON.parse(readFileSync(join(model, name), 'utf8'));
const tokens = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
const card = readFileSync(join(model, 'README.md'), 'utf8');
const measured = JSON.parse(program('measure', model, sampleTokens));

test('the model is small, and its vocabulary encodes the held-out text', () => {
  assert.ok(statSync(join(model, 'model.safetensors')).size <= 6e6);
  checkRoundTrips(tokens);
  assert.deepEqual(readTokens(sampleTokens), tokensOf(tokens, [sample]));
});

test('everyday words are one token', () => {
  const { words, split: notWhole } = wordsOf(tokens, everyday);
  const share = 100 * (1 - notWhole.length / words.length);
  assert.ok(everyday.length >= 60 && share >= 95, notWhole.join());
  assert.ok(
    card.includes(`Of the ${words.length} words of the everyday sentences, ${share.toFixed(1)} %`),
  );
});

test('the loss of held-out text matches the model card', () => {
  const [, loss] = card.match(/^\| `held-out.txt` +\| ([\d.]+) +\|$/m);
  assert.ok(Math.abs(measured.loss - loss) < 2e-3, `${measured.loss}, ${loss}`);
});

test('the scores of heads match the model card', () => {
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
