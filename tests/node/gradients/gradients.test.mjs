// Inputs of a layer's `backward`. layer/calls.test.mjs checks the gradients.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, ResidentTensor, Tensor } from 'headwise';

await init();

const options = { numHiddens: 6, numHeads: 3, seed: 1 };
const X = Tensor.randn([2, 3, 4], 1);
const Y = Tensor.randn([2, 5, 4], 2);
const gradOutput = Tensor.randn([2, 3, 6], 3);

test('inputs may be overwritten before the backward', () => {
  const layer = new MultiHeadAttention(options);
  const given = () => ({
    ...{ validLens: Int32Array.of(2, 5), headGate: Float32Array.of(1, 2, 3), requiresGrad: true },
    mask: { data: Uint8Array.from({ length: 15 }, (_, i) => Number(i % 4 > 0)), shape: [3, 5] },
  });
  layer.forward(X, Y, Y, given());
  const expected = layer.backward(gradOutput);
  for (const Kind of [Tensor, ResidentTensor]) {
    const inputs = [X, Y, Y].map(({ data, shape }) => {
      const tensor = Kind === Tensor ? Tensor.zeros(shape) : new ResidentTensor(shape);
      tensor.data.set(data);
      return tensor;
    });
    const { validLens, headGate, mask, requiresGrad } = given();
    layer.forward(...inputs, { validLens, headGate, mask, requiresGrad });
    for (const { data } of inputs) data.fill(NaN);
    for (const array of [validLens, headGate, mask.data]) array.fill(0);
    // Working memory as well.
    layer.forward(Tensor.full([2, 9, 4], 7), Y, Y);
    assert.deepEqual(layer.backward(gradOutput), expected);
    if (Kind === ResidentTensor) inputs.forEach((tensor) => tensor.dispose());
  }
  layer.dispose();
});
