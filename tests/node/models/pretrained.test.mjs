// Checkpoints of eight families: results, gradients, round trips.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, saveSafetensors, Transformer } from 'headwise';
import { checkpointNames, readCheckpoint } from '../lib/checkpoints.mjs';
import { maxDifference } from '../lib/compare.mjs';

await init();

const largestOf = ({ data }) => data.reduce((most, number) => Math.max(most, Math.abs(number)), 0);

/** `tolerance` is a share of the largest expected number, or of `scale` if that is larger. */
function assertNear(name, got, expected, tolerance, scale = 1e-30) {
  assert.deepEqual([...got.shape], [...expected.shape], name);
  const difference = maxDifference(got.data, expected.data);
  const bound = tolerance * Math.max(largestOf(expected), scale);
  assert.ok(difference <= bound, `${name}: ${difference} above ${bound}`);
}

const sameBits = (a, b) =>
  Buffer.from(a.data.buffer, a.data.byteOffset, a.data.byteLength).equals(
    Buffer.from(b.data.buffer, b.data.byteOffset, b.data.byteLength),
  );

for (const name of checkpointNames) {
  const checkpoint = readCheckpoint(name);
  const { expected, input, options, tensors, config } = checkpoint;

  test(`${name}: hidden states, logits and all weights are PyTorch's`, () => {
    const model = checkpoint.model();
    const result = model.forward(input, { ...options, returnWeights: true });
    const { logits, hidden, encoderHidden } = result;
    if ('out.logits' in expected) assertNear('logits', logits, expected['out.logits'], 2e-5);
    else assert.equal(logits, undefined);
    if ('out.hidden' in expected) assertNear('hidden', hidden, expected['out.hidden'], 2e-5);
    if ('out.encoder' in expected) {
      assertNear('encoderHidden', encoderHidden, expected['out.encoder'], 2e-5);
    }
    let count = 0;
    const sides = {
      'out.attention': 'attentionWeights',
      'out.cross': 'crossAttentionWeights',
      'out.encoder_attention': 'encoderAttentionWeights',
    };
    for (const [prefix, member] of Object.entries(sides)) {
      for (const [layer, weights] of (result[member] ?? []).entries()) {
        assertNear(`${prefix}.${layer}`, weights, expected[`${prefix}.${layer}`], 2e-5);
        count++;
      }
    }
    const stored = Object.keys(expected).filter((key) => /^out\.(\w*attention|cross)\./.test(key));
    assert.equal(count, stored.length);
    model.dispose();
  });

  test(`${name}: the loss and all gradients are PyTorch's`, () => {
    const model = checkpoint.model();
    const [expectedLoss] = expected['out.loss'].data;
    const cotangent = expected['in.cotangent'];
    let loss = 0;
    if (cotangent === undefined) {
      ({ loss } = model.lossAndGradients(input, checkpoint.targets(), options));
      assert.equal(model.loss(input, checkpoint.targets(), options), loss);
    } else {
      const { hidden } = model.forward(input, { ...options, requiresGrad: true });
      hidden.data.forEach((number, i) => (loss += number * cotangent.data[i]));
      model.backward(cotangent);
    }
    assert.ok(Math.abs(loss - expectedLoss) <= 2e-5 * Math.abs(expectedLoss), `${loss}`);
    const gradients = model.gradients({ names: 'pretrained' });
    const stored = Object.keys(expected).filter((key) => key.startsWith('grad.'));
    const largest = Math.max(...stored.map((key) => largestOf(expected[key])));
    assert.deepEqual(Object.keys(gradients).sort(), stored.map((key) => key.slice(5)).sort());
    for (const key of stored) {
      // Softmax cancels the bias of keys: its gradient is 0 but for rounding.
      assertNear(key, gradients[key.slice(5)], expected[key], 2e-4, 1e-3 * largest);
    }
    model.dispose();
  });

  test(`${name}: the checkpoint comes back out, bit for bit`, () => {
    const model = checkpoint.model();
    const out = model.stateDict({ names: 'pretrained' });
    for (const [key, tensor] of Object.entries(out)) {
      assert.deepEqual(tensor.shape, tensors[key].shape, key);
      assert.ok(sameBits(tensor, tensors[key]), key);
    }
    const left = Object.keys(tensors).filter((key) => !(key in out));
    const isBuffer = /position_ids$|\.attn\.bias$|^pooler\./;
    assert.deepEqual(
      left.filter((key) => !isBuffer.test(key)),
      [],
    );
    assert.deepEqual(model.config(), config);
    model.dispose();
  });

  // Of these two, all heads share one key-value head: none can go alone.
  const skip = ['llama-a', 'qwen2-a'].includes(name) && 'one key-value head';

  test(`${name}: a pruned model comes back out and in`, { skip }, () => {
    const model = checkpoint.model();
    const groupSize = model.attention(0).numHeads / model.attention(0).numKvHeads;
    const first = Array.from({ length: groupSize }, (_, head) => head);
    const last = first.map((head) => model.attention(0).numHeads - 1 - head);
    model.pruneHeads({ 0: last });
    model.attention(model.numLayers - 1).pruneHeads(first);
    if (model.numEncoderLayers > 0) {
      model.pruneHeads({ 0: [0] }, { side: 'cross' });
      model.pruneHeads({ 1: [1] }, { side: 'encoder' });
    }
    const pruned = model.config();
    const layers = model.numLayers === 1 ? [] : [[model.numLayers - 1, first]];
    assert.deepEqual(
      pruned.pruned_heads,
      Object.fromEntries([[0, last.sort((a, b) => a - b)], ...layers]),
    );
    const out = model.stateDict({ names: 'pretrained' });
    const file = saveSafetensors(out);
    const again = Transformer.fromPretrained({
      config: JSON.parse(JSON.stringify(pruned)),
      tensors: loadSafetensors(file).tensors,
    });
    assert.deepEqual(again.numHeads, model.numHeads);
    assert.deepEqual(again.config(), pruned);
    const [a, b] = [model, again].map((each) => each.forward(input, options));
    assert.deepEqual(a, b);
    again.dispose();
    model.dispose();
  });

  test(`${name}: a removed head is a head of gate 0`, { skip }, () => {
    const model = checkpoint.model();
    const pruned = checkpoint.model();
    const gates = (side) => {
      const layerOf = { self: 'attention', cross: 'crossAttention', encoder: 'encoderAttention' };
      const count = side === 'encoder' ? model.numEncoderLayers : model.numLayers;
      return Array.from({ length: count }, (_, layer) => {
        const { numHeads, numKvHeads } = model[layerOf[side]](layer);
        const gate = Array.from({ length: numHeads }, (_, head) =>
          Number(head >= numHeads / numKvHeads),
        );
        const heads = gate.flatMap((open, head) => (open === 0 ? [head] : []));
        pruned.pruneHeads({ [layer]: heads }, { side });
        return gate;
      });
    };
    const sides = model.numEncoderLayers > 0 ? ['self', 'cross', 'encoder'] : ['self'];
    const names = {
      self: 'headGates',
      cross: 'crossHeadGates',
      encoder: 'encoderHeadGates',
    };
    const given = Object.fromEntries(sides.map((side) => [names[side], gates(side)]));
    const gated = model.forward(input, { ...options, ...given });
    const removed = pruned.forward(input, options);
    assertNear('hidden', removed.hidden, gated.hidden, 2e-6);
    model.dispose();
    pruned.dispose();
  });
}
