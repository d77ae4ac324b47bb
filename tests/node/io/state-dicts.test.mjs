// Layers from the state dicts of other systems, and the way there and back through a file. What no
// layer can be made of is in bad-state-dicts.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { assertFails, assertSameResult } from '../lib/compare.mjs';
import { bitsOf } from '../lib/files.mjs';
import { buffers, layouts, prefixed } from '../lib/state-dicts.mjs';

await init();

const { fromStateDict } = MultiHeadAttention;
const sizes = { querySize: 8, keySize: 8, valueSize: 8 };
const full = { numHiddens: 12, numHeads: 3, outputSize: 5, bias: true, seed: 3, ...sizes };

function run(layer) {
  const inputs = [layer.querySize, layer.keySize, layer.valueSize].map((size, i) =>
    Tensor.randn([2, i === 0 ? 3 : 4, size], i),
  );
  return layer.forward(...inputs, { validLens: [4, 2], returnWeights: true });
}

function assertSameLayer(layer, expected) {
  const [dict, other] = [layer.stateDict(), expected.stateDict()];
  assert.deepEqual(Object.keys(dict), Object.keys(other));
  for (const [name, tensor] of Object.entries(other)) {
    assert.deepEqual(dict[name].shape, tensor.shape, name);
    assert.deepEqual(bitsOf(dict[name]), bitsOf(tensor), name);
  }
  for (const name of [
    'numHiddens',
    'numHeads',
    'numKvHeads',
    'querySize',
    'keySize',
    'valueSize',
  ]) {
    assert.equal(layer[name], expected[name], name);
  }
  for (const name of ['outputSize', 'bias', 'pooling', 'projection']) {
    assert.equal(layer[name], expected[name], name);
  }
  assertSameResult(run(layer), run(expected));
}

/** Checks that what `write` makes of a layer's state dict becomes the layer again. */
function assertBecomes(given, write, more = {}) {
  const layer = new MultiHeadAttention({ ...full, ...given });
  const dict = write(layer.stateDict());
  const again = fromStateDict(dict, { numHeads: layer.numHeads, ...more });
  assertSameLayer(again, layer);
  assert.equal(again.training, false);
  [layer, again].forEach((each) => each.dispose());
}

for (const [name, write] of Object.entries(layouts)) {
  test(`${name}: the same layer, bit for bit`, () => {
    for (const given of [
      {},
      { outputSize: 12 },
      { numHeads: 1 },
      { numHeads: 12 },
      { bias: false },
    ]) {
      assertBecomes(given, write);
    }
    const isPacked = /packed|timm|GPT/.test(name);
    if (!isPacked) {
      assertBecomes({ numHeads: 6, numKvHeads: 2 }, write);
      assertBecomes({ numHeads: 6, numKvHeads: 1, bias: false }, write);
    }
    if (/d2l|nn\./.test(name)) assertBecomes({ biasKv: true }, write);
    assertBecomes({}, (dict) => Object.fromEntries(Object.entries(write(dict)).reverse()));
    const nested = ([key, tensor]) => [key, tensor.shape.length > 0 ? tensor.toArray() : tensor];
    assertBecomes({}, (dict) => Object.fromEntries(Object.entries(write(dict)).map(nested)));
  });

  test(`${name}: behind a prefix, beside other tensors`, () => {
    const others = {
      'encoder.1': 'no tensor',
      'encoder.10.W_q.weight': { data: new BigInt64Array(4), shape: [2, 2] },
      'encoder.1W_q.weight': 7,
      'decoder.encoder.1.W_q.weight': Tensor.ones([1, 1]),
      'W_q.weight': null,
      epoch: 3,
    };
    for (const prefix of ['encoder.1', 'encoder.1.']) {
      const behind = (dict) => ({ ...others, ...prefixed('encoder.1.', write(dict)) });
      assertBecomes({}, behind, { prefix });
    }
    assertBecomes({}, write, { prefix: '' });
    assertBecomes({}, (dict) => prefixed('😀"\\.', write(dict)), { prefix: '😀"\\' });
  });

  test(`${name}: buffers are left alone`, () => {
    assertBecomes({}, (dict) => ({ ...write(dict), ...buffers }));
    const inFile = (dict) => saveSafetensors({ ...write(dict), ...buffers });
    assertBecomes({ bias: false }, (dict) => loadSafetensors(inFile(dict)).tensors);
  });

  test(`${name}: through a file`, () => {
    const throughFile = (dict) => loadSafetensors(saveSafetensors(write(dict))).tensors;
    assertBecomes({}, throughFile);
    assertBecomes({}, (dict) => prefixed('a.', throughFile(dict)), { prefix: 'a' });
  });
}

test('GPT-2 and minGPT are told apart by what c_proj takes, whatever else is pruned or equal', () => {
  const both = [layouts['GPT-2'], layouts['minGPT and nanoGPT']];
  for (const [inputs, outputSize, numHiddens, numHeads] of [
    [12, 12, 12, 3],
    [1, 1, 1, 1],
    [3, 1, 1, 1],
    [1, 3, 1, 1],
    [36, 36, 12, 3],
    [12, 12, 4, 1],
    [4, 4, 12, 3],
    [9, 5, 3, 1],
    [5, 9, 3, 1],
    [12, 36, 12, 3],
  ]) {
    const sizes = { querySize: inputs, keySize: inputs, valueSize: inputs, outputSize };
    // What takes three times what it gives may be either; no model does.
    for (const write of both.slice(0, inputs === 3 * outputSize ? 1 : 2)) {
      for (const bias of [true, false]) {
        assertBecomes({ ...sizes, numHiddens, numHeads, bias }, write);
      }
    }
  }
});

test('kinds of layers that only d2l’s names can tell', () => {
  const { d2l } = layouts;
  const throughFile = (dict) => loadSafetensors(saveSafetensors(dict)).tensors;
  for (const given of [
    { outputProjection: false, outputSize: 12 },
    { outputProjection: false, outputSize: 12, bias: false },
    { projection: 'convolution', querySize: 9, keySize: 6, valueSize: 3, numHeads: 3 },
    { projection: 'convolution', querySize: 8, numHeads: 4, bias: false },
    { pooling: 'additive', attentionHiddens: 7 },
    { pooling: 'additive', attentionHiddens: 1, numHeads: 6, numKvHeads: 3, biasKv: true },
    { querySize: 2, keySize: 3, valueSize: 5, numHeads: 4, numKvHeads: 2, biasKv: true },
  ]) {
    for (const write of [d2l, throughFile]) assertBecomes(given, write);
  }
  assertBecomes({ keySize: 3, valueSize: 5 }, layouts['nn.MultiheadAttention, separate']);
  assertBecomes({ keySize: 3, valueSize: 5 }, layouts.ViT);
});

test('a bias that only some projections have is zero in the others', () => {
  const layer = new MultiHeadAttention(full);
  const dict = layer.stateDict();
  const without = (...names) =>
    Object.fromEntries(
      Object.entries(dict).map(([name, tensor]) => [
        name,
        names.includes(name) ? Tensor.zeros(tensor.shape) : tensor,
      ]),
    );
  const inputBiases = ['W_q.bias', 'W_k.bias', 'W_v.bias'];
  const zeroed = new MultiHeadAttention(full);
  // Softmax cancels what a bias of the keys adds, so that Whisper's have none.
  const noKeyBias = (written) =>
    Object.fromEntries(Object.entries(written).filter(([name]) => !/k(ey|_proj)\.bias/.test(name)));
  zeroed.loadStateDict(without('W_k.bias'));
  for (const name of ['BERT', 'ViT', 'ViT, newer', 'CLIP']) {
    const again = fromStateDict(noKeyBias(layouts[name](dict)), { numHeads: 3 });
    assertSameLayer(again, zeroed);
    again.dispose();
  }
  for (const name of ['BERT', 'ViT', 'ViT, newer', 'CLIP', 'timm']) {
    const written = Object.entries(layouts[name](dict));
    const isOutput = ([key]) => /dense|o_proj|out_proj|^proj/.test(key);
    for (const [keeps, zeros] of [
      [isOutput, inputBiases],
      [(entry) => !isOutput(entry), ['W_o.bias']],
    ]) {
      const kept = written.filter((entry) => keeps(entry) || !entry[0].endsWith('.bias'));
      zeroed.loadStateDict(without(...zeros));
      const again = fromStateDict(Object.fromEntries(kept), { numHeads: 3 });
      assertSameLayer(again, zeroed);
      again.dispose();
    }
  }
  [layer, zeroed].forEach((each) => each.dispose());
});

test('the dict is left as it is and not kept', () => {
  const layer = new MultiHeadAttention(full);
  for (const write of Object.values(layouts)) {
    const dict = write(layer.stateDict());
    const copy = structuredClone(dict);
    const again = fromStateDict(dict, { numHeads: 3 });
    for (const [name, { data }] of Object.entries(dict)) {
      assert.deepEqual(data, copy[name].data);
      data.fill(NaN);
    }
    assertSameLayer(again, layer);
    again.dispose();
  }
  layer.dispose();
});

const layer = new MultiHeadAttention(full);
const dict = layer.stateDict();
const additive = new MultiHeadAttention({ ...full, pooling: 'additive', attentionHiddens: 7 });

test('options that no dict settles are taken', () => {
  const given = { dropout: 0.25, scale: 0.5, softcap: 3, zeroAttention: true, seed: 11 };
  const expected = new MultiHeadAttention({ ...full, ...given });
  expected.loadStateDict(dict);
  const again = fromStateDict(layouts['GPT-2'](dict), { numHeads: 3, ...given });
  assert.deepEqual([again.dropout, again.seed], [0.25, 11]);
  assertSameLayer(again, expected);
  const [dropped, other] = [again, expected].map((each) => run(each.train()));
  assertSameResult(dropped, other);
  assert.equal(dropped.attentionWeights.shape[3], 5);
  assert.notDeepEqual(run(again.eval()).output, run(layer).output);
});

test('options that the dict settles are taken if they agree', () => {
  const settled = {
    ...{ numHiddens: 12, numKvHeads: 3, outputSize: 5, bias: true, biasKv: false, ...sizes },
    ...{ pooling: 'dot-product', projection: 'linear', outputProjection: true },
  };
  const given = { numHeads: 3, ...settled };
  for (const write of Object.values(layouts))
    assertSameLayer(fromStateDict(write(dict), given), layer);
  const undefinedOnes = Object.fromEntries(Object.keys(settled).map((name) => [name, undefined]));
  assertSameLayer(fromStateDict(dict, { numHeads: 3, prefix: undefined, ...undefinedOnes }), layer);
  const hiddens = { pooling: 'additive', attentionHiddens: 7 };
  assertSameLayer(fromStateDict(additive.stateDict(), { numHeads: 3, ...hiddens }), additive);

  for (const [name, [is, ...others]] of Object.entries({
    numHiddens: ['12', 8, '12', null],
    numKvHeads: ['3', 1, 0],
    ...{ querySize: ['8', 7], keySize: ['8', 16], valueSize: ['8', -1], outputSize: ['5', 12] },
    ...{ bias: ['true', false, 1], biasKv: ['false', true], outputProjection: ['true', false] },
    pooling: ['"dot-product"', 'additive'],
    projection: ['"linear"', 'convolution', 'none'],
  })) {
    for (const bad of others) {
      const got = typeof bad === 'string' ? `"${bad}"` : String(bad);
      const message = `${name}: expected ${is}, as the state dict has it, got ${got}`;
      const call = () => fromStateDict(dict, { numHeads: 3, [name]: bad });
      assertFails(call, 'invalid-option', message);
    }
  }
});
