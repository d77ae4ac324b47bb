// Values of another realm (a frame, node:vm, the environment of a test runner) have classes of their own, so that no
// `instanceof` knows them. Plain JavaScript without an import, as suite.js.

const own = {
  ...{ Array, ArrayBuffer, BigInt64Array, DataView, Float32Array, Float64Array, Int32Array },
  ...{ JSON, Object, SharedArrayBuffer, Uint8Array },
};

/** A text that another realm evaluates to its own of these classes. */
export const classesOfRealm = `({ ${Object.keys(own).join(', ')} })`;

/**
 * Makes calls with values of this realm and of another, after `init`.
 *
 * @param {Record<string, any>} headwise
 * @param {Record<string, any>} other what `classesOfRealm` gives there
 * @returns by name, what was wrong in each call
 */
export async function acrossRealms(headwise, other) {
  const { AttentionOnlyTransformer, loadNpy, loadSafetensors, measureHeadImportance } = headwise;
  const { MultiHeadAttention, saveNpy, saveSafetensors, Tensor } = headwise;
  const numbers = Array.from({ length: 8 }, (_, i) => Math.sin(i));
  const X = new Tensor(numbers, [1, 2, 4]);
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, seed: 1 });
  layer.forward(X, X, X);
  const model = new AttentionOnlyTransformer({
    ...{ vocabularySize: 5, maxLength: 4, numHiddens: 4, numHeads: 2, seed: 1 },
  });
  const into = (buffer, bytes) => {
    new Uint8Array(buffer).set(bytes);
    return buffer;
  };
  const file = saveSafetensors({ X });
  const npy = saveNpy(X);
  const calls = {
    tensor: (of) => new Tensor(of.Float32Array.from(numbers), of.Array.of(1, 2, 4)),
    from: (of) => Tensor.from({ data: of.Float64Array.from(numbers), dims: of.Array.of(8) }),
    nested: (of) => Tensor.from(of.JSON.parse('[[[1, 2], [3, 4]]]')),
    forward(of) {
      const data = of.Float32Array.from(numbers);
      const options = of.JSON.parse('{ "causal": true, "returnWeights": true }');
      return layer.forward({ data, shape: of.Array.of(1, 2, 4) }, X, X, options).output;
    },
    'boolean mask': (of) =>
      layer.forward(X, X, X, { mask: { data: of.Uint8Array.of(1, 0, 1, 1), shape: [2, 2] } })
        .output,
    validLens: (of) => layer.forward(X, X, X, { validLens: of.BigInt64Array.of(1n) }).output,
    out(of) {
      const output = new of.Float32Array(8);
      layer.forward(X, X, X, { out: { output } });
      return { data: output };
    },
    gradients(of) {
      layer.forward(X, X, X, { requiresGrad: true });
      return layer.backward({ data: of.Float32Array.from(numbers), shape: [1, 2, 4] }).queries;
    },
    tokens: (of) => model.forward(of.Int32Array.of(1, 2)).logits,
    importance: async (of) => ({
      data: await measureHeadImportance(layer, {
        measure: 'entropy',
        batches: of.Array.of({
          ...{ queries: { data: of.Float32Array.from(numbers), shape: [1, 2, 4] }, keys: X },
          ...{ values: X, ignoredKeys: { data: of.Uint8Array.of(1, 0), shape: [1, 2] } },
        }),
      }),
    }),
    'safetensors, bytes': (of) => loadSafetensors(of.Uint8Array.from(file)).tensors.X,
    'safetensors, buffer': (of) =>
      loadSafetensors(into(new of.ArrayBuffer(file.length), file)).tensors.X,
    'safetensors, shared buffer': (of) =>
      loadSafetensors(into(new of.SharedArrayBuffer(file.length), file)).tensors.X,
    'npy, buffer': (of) => loadNpy(into(new of.ArrayBuffer(npy.length), npy)),
  };
  const wrong = {};
  for (const [name, call] of Object.entries(calls)) {
    try {
      const [expected, actual] = [[...(await call(own)).data], [...(await call(other)).data]];
      const isSame =
        expected.length > 0 &&
        expected.length === actual.length &&
        expected.every((number, i) => Object.is(number, actual[i]));
      if (!isSame) wrong[name] = `${actual} for ${expected}`;
    } catch (error) {
      wrong[name] = String(error);
    }
  }
  layer.dispose();
  model.dispose();
  return wrong;
}
