// Checkpoints of eight families: PyTorch's losses, and the way back. tests/native compares all results and gradients.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, saveSafetensors, Transformer } from 'headwise';
import { checkpointNames, readCheckpoint } from '../lib/checkpoints.mjs';

await init();

const bytesOf = ({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

for (const name of checkpointNames) {
  const checkpoint = readCheckpoint(name);
  const { expected, input, options, tensors, config } = checkpoint;

  test(`${name}: the loss is PyTorch's, and gradients have the checkpoint's names`, () => {
    const model = checkpoint.model();
    const [expectedLoss] = expected['out.loss'].data;
    const cotangent = expected['in.cotangent'];
    let loss = 0;
    if (cotangent === undefined) {
      ({ loss } = model.lossAndGradients(input, checkpoint.targets(), options));
    } else {
      const { hidden } = model.forward(input, { ...options, requiresGrad: true });
      hidden.data.forEach((number, i) => (loss += number * cotangent.data[i]));
      model.backward(cotangent);
    }
    assert.ok(Math.abs(loss - expectedLoss) <= 2e-5 * Math.abs(expectedLoss), `${loss}`);
    const gradients = model.gradients({ names: 'pretrained' });
    const stored = Object.keys(expected).filter((key) => key.startsWith('grad.'));
    assert.deepEqual(Object.keys(gradients).sort(), stored.map((key) => key.slice(5)).sort());
    model.dispose();
  });

  test(`${name}: the checkpoint comes back out bit for bit, and a pruned one back in`, () => {
    const model = checkpoint.model();
    const out = model.stateDict({ names: 'pretrained' });
    for (const [key, tensor] of Object.entries(out)) {
      assert.deepEqual(tensor.shape, tensors[key].shape, key);
      assert.ok(bytesOf(tensor).equals(bytesOf(tensors[key])), key);
    }
    const left = Object.keys(tensors).filter((key) => !(key in out));
    assert.ok(
      left.every((key) => /position_ids$|\.attn\.bias$|^pooler\./.test(key)),
      left,
    );
    assert.deepEqual(model.config(), config);

    const { numHeads, numKvHeads } = model.attention(0);
    // All heads of some models share one key-value head: none can go alone.
    if (numKvHeads > 1) {
      const last = Array.from({ length: numHeads / numKvHeads }, (_, i) => numHeads - 1 - i);
      model.pruneHeads({ 0: last });
      if (model.numEncoderLayers > 0) {
        model.pruneHeads({ 0: [0] }, { side: 'cross' });
        model.pruneHeads({ 1: [1] }, { side: 'encoder' });
      }
      const pruned = model.config();
      assert.deepEqual(pruned.pruned_heads, { 0: last.sort((a, b) => a - b) });
      const again = Transformer.fromPretrained({
        config: JSON.parse(JSON.stringify(pruned)),
        tensors: loadSafetensors(saveSafetensors(model.stateDict({ names: 'pretrained' }))).tensors,
      });
      assert.deepEqual(again.numHeads, model.numHeads);
      assert.deepEqual(again.config(), pruned);
      assert.deepEqual(again.forward(input, options), model.forward(input, options));
      again.dispose();
    }
    model.dispose();
  });
}
