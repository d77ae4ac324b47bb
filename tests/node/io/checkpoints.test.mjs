// Layers out of checkpoints as their frameworks write them, buffers included; what PyTorch makes of
// them is in the files beside (tests/data/models).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';
import { dataFile } from '../lib/records.mjs';

await init();

const bytesOf = (name) => readFileSync(dataFile(`models/${name}.safetensors`));

/** What a model's first layer norm, or the one over embeddings, gives for each token. */
function normalized({ data, shape: [batch, length] }, embeddings, weight, bias, epsilon) {
  const size = weight.data.length;
  const rows = Array.from(data, (token, i) => {
    const row = Array.from({ length: size }, (_, j) =>
      embeddings.reduce((sum, { table, at }) => sum + table.data[at(token, i) * size + j], 0),
    );
    const mean = row.reduce((sum, x) => sum + x, 0) / size;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / size;
    const scale = 1 / Math.sqrt(variance + epsilon);
    return row.map((x, j) => (x - mean) * scale * weight.data[j] + (bias?.data[j] ?? 0));
  });
  return new Tensor(rows.flat(), [batch, length, size]);
}

const token = (table) => ({ table, at: (id) => id });
const position = (table, length) => ({ table, at: (_, i) => i % length });

/** Of each model: where its first layer is, what goes in there, and what else is in the file. */
const models = {
  'gpt2-a': {
    prefix: 'h.0.attn',
    causal: true,
    dtypes: ['BOOL'],
    input: ({ tokens }, all) =>
      normalized(
        tokens,
        [token(all['wte.weight']), position(all['wpe.weight'], tokens.shape[1])],
        all['h.0.ln_1.weight'],
        all['h.0.ln_1.bias'],
        1e-5,
      ),
  },
  'nanogpt-a': {
    prefix: 'transformer.h.0.attn',
    causal: true,
    dtypes: [],
    input: ({ tokens }, all) =>
      normalized(
        tokens,
        [
          token(all['transformer.wte.weight']),
          position(all['transformer.wpe.weight'], tokens.shape[1]),
        ],
        all['transformer.h.0.ln_1.weight'],
        undefined,
        1e-5,
      ),
  },
  'bert-a': {
    prefix: 'encoder.layer.0.attention',
    causal: false,
    dtypes: ['I64'],
    input: ({ tokens, types }, all) =>
      normalized(
        tokens,
        [
          token(all['embeddings.word_embeddings.weight']),
          position(all['embeddings.position_embeddings.weight'], tokens.shape[1]),
          {
            table: all['embeddings.token_type_embeddings.weight'],
            at: (_, i) => types.data[i],
          },
        ],
        all['embeddings.LayerNorm.weight'],
        all['embeddings.LayerNorm.bias'],
        1e-12,
      ),
  },
};

for (const [name, { prefix, causal, dtypes, input }] of Object.entries(models)) {
  test(`${name}: the first layer attends as PyTorch's does`, (context) => {
    const file = bytesOf(name);
    const { tensors, metadata } = loadSafetensors(file);
    const kinds = new Set(Object.values(tensors).map(({ dtype }) => dtype));
    assert.deepEqual([...kinds].filter(Boolean), dtypes);
    const again = loadSafetensors(saveSafetensors(tensors, metadata));
    assert.deepEqual(
      Object.entries(again.tensors).sort(([a], [b]) => (a < b ? -1 : 1)),
      Object.entries(tensors).sort(([a], [b]) => (a < b ? -1 : 1)),
    );

    const { tensors: expected } = loadSafetensors(bytesOf(`${name}.expect`));
    const tokens = expected['in.tokens'];
    assert.ok(tokens.data instanceof Int32Array);
    const [batch, length] = tokens.shape;
    const X = input({ tokens, types: expected['in.types'] }, tensors);
    const mask = {
      data: Uint8Array.from(expected['in.mask'].data),
      shape: [batch, 1, 1, length],
    };
    const layer = MultiHeadAttention.fromStateDict(tensors, { numHeads: 2, prefix });
    const { attentionWeights } = layer.forward(X, X, X, { causal, mask, returnWeights: true });
    const attention = expected['out.attention.0'];
    assert.deepEqual(attentionWeights.shape, attention.shape);
    const largest = maxDifference(attentionWeights.data, attention.data);
    context.diagnostic(`largest difference ${largest.toExponential(2)}`);
    assert.ok(largest <= 2e-6, `${largest}`);
    layer.dispose();
  });
}
