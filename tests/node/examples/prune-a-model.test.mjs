// The example that prunes a checkpoint, on small ones of tests/data/models.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { init, loadSafetensors, Transformer } from 'headwise';
import { textTokens } from '../../../examples/language-model/tokens.mjs';
import { readTokens } from '../../../examples/prune-a-model/text.mjs';
import { output, project, temporaryFolder } from '../lib/child.mjs';

const models = join(project, 'tests/data/models');
const emptyFolder = () => temporaryFolder({ after });

/** A small checkpoint under the names that Transformers give its files. */
function checkpointOf(name) {
  const folder = emptyFolder();
  copyFileSync(join(models, `${name}.json`), join(folder, 'config.json'));
  copyFileSync(join(models, `${name}.safetensors`), join(folder, 'model.safetensors'));
  return folder;
}

const tokens = Array.from({ length: 49 }, (_, i) => (7 * i * i + 3 * i) % 29);
const [length, sequences] = [8, 3];
const chosen = ['--length', `${length}`, '--sequences', `${sequences}`, '--threads', '1'];

const main = (...args) => output(process.execPath, ['examples/prune-a-model/main.mjs', ...args]);

function write(folder, name, text) {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** What the program prints, and the rows that it writes. */
function prune(folder, ...args) {
  const csv = join(emptyFolder(), 'curve.csv');
  const printed = main(folder, ...args, ...chosen, '--csv', csv);
  const [header, ...lines] = readFileSync(csv, 'utf8').trim().split('\n');
  assert.equal(header, 'order,gone,heads,loss,perplexity');
  const rows = lines.map((line) => {
    const [order, gone, heads, loss, perplexity] = line.split(',');
    return { order, heads, gone: +gone, loss: +loss, perplexity: +perplexity };
  });
  return { printed, rows };
}

const measures = ['gradient', 'ablation', 'confidence', 'entropy'];
const orders = [
  ...measures,
  ...measures.map((measure) => `${measure}-anew`),
  ...[1, 2, 3, 4, 5].map((number) => `random-${number}`),
];

/** Sequences to test on: the second half. */
const testing = Array.from({ length: sequences }, (_, i) =>
  tokens.slice((sequences + i) * length, (sequences + i + 1) * length + 1),
);

async function lossWith(folder, headGates) {
  await init({ threads: 1 });
  const model = Transformer.fromPretrained({
    config: JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')),
    tensors: loadSafetensors(readFileSync(join(folder, 'model.safetensors'))).tensors,
  });
  const loss = model.loss(
    testing.map((row) => row.slice(0, -1)),
    testing.map((row) => row.slice(1)),
    { headGates },
  );
  model.dispose();
  return loss;
}

/** Gates of two layers with two heads, 0 for those that are named. */
const gatesWithout = (heads) =>
  [0, 1].map((layer) => [0, 1].map((head) => Number(!heads.includes(`${layer}.${head}`))));

test('curves begin with the whole loss, and each point has the loss of the gated model', async () => {
  const folder = checkpointOf('gpt2-a');
  const svg = join(folder, 'curve.svg');
  const { printed, rows } = prune(
    folder,
    ...[write(folder, 'tokens.json', `[${tokens}]`), '--anew', '--svg', svg],
  );
  assert.deepEqual([...new Set(rows.map(({ order }) => order))], orders);
  assert.equal(rows.length, 3 * orders.length);
  for (const order of orders) {
    const curve = rows.filter((row) => row.order === order);
    const gone = [];
    for (const [i, point] of curve.entries()) {
      gone.push(...point.heads.split(' ').filter((head) => head !== ''));
      assert.equal(point.gone, i);
      assert.equal(gone.length, i);
      const expected = await lossWith(folder, gatesWithout(gone));
      assert.ok(Math.abs(point.loss - expected) < 1e-5, `${order}, ${i} gone`);
      assert.ok(Math.abs(point.perplexity - Math.exp(expected)) < 1e-2);
    }
    assert.equal(new Set(gone.map((head) => head.split('.')[0])).size, 2);
    assert.ok(Math.abs(curve[1].loss - curve[0].loss) > 1e-4);
  }
  for (const measure of measures) {
    assert.match(printed, new RegExp(`^By ${measure}, \\d of 4 heads can go`, 'm'));
  }
  assert.equal(printed.match(/^[432] +\d+ t\/s +\d+ t\/s$/gm).length, 3 * measures.length);
  const drawn = readFileSync(svg, 'utf8');
  assert.match(drawn, /^<svg xmlns=/);
  assert.equal(drawn.match(/<path d="M[^h"]+"/g).length, orders.length);
  assert.doesNotMatch(drawn, /NaN|undefined/);
});

test('heads that share keys and values are pruned together, in as few steps as asked for', () => {
  const folder = checkpointOf('llama-a');
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  write(
    folder,
    'config.json',
    JSON.stringify({ ...config, num_attention_heads: 4, num_key_value_heads: 2 }),
  );
  const { rows } = prune(folder, '--start', '1', '--measures', 'entropy', '--steps', '1');
  assert.equal(rows.length, 2 * 6);
  assert.match(rows[1].heads, /^(\d\.0 \d\.1|\d\.2 \d\.3) (\d\.0 \d\.1|\d\.2 \d\.3)$/);
  assert.equal(rows[1].gone, 4);
});

test('a text is read by the tokenizer of its checkpoint', () => {
  const folder = join(project, 'examples/language-model/model');
  const json = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const text = join(folder, '../held-out.txt');
  const { decode } = textTokens(json('tokenizer'), json('tokenizer_config'));
  assert.equal(decode(readTokens(folder, text)), readFileSync(text, 'utf8'));
});

const refusals = {
  'no text': [['gpt2-a'], /expected a text, or --start without one/],
  'no number': [['gpt2-a', '--start', '1', '--steps', '0'], /--steps: .* from 1, got '0'/],
  'a token beyond the vocabulary': [['gpt2-a', 'beyond'], /tokens: expected/],
  'another kind of model': [['bert-a', '--start', '1'], /no model that predicts/],
};

test('bad arguments print one line', () => {
  const names = { 'gpt2-a': checkpointOf('gpt2-a'), 'bert-a': checkpointOf('bert-a') };
  const folder = emptyFolder();
  names.beyond = write(folder, 'beyond', tokens.map((token) => token + 29).join(' '));
  for (const [name, [args, expected]] of Object.entries(refusals)) {
    assert.throws(
      () => main(...args.map((each) => names[each] ?? each), ...chosen),
      ({ message }) => {
        const [, ...lines] = message.trim().split('\n');
        assert.match(lines.join('\n'), expected, name);
        assert.equal(lines.length, 1, name);
        return true;
      },
    );
  }
});
