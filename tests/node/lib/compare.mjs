import assert from 'node:assert/strict';
import { HeadwiseError, MultiHeadAttention, Tensor } from 'headwise';

/** The largest |a − b|: infinite where sizes differ or where one of the two is NaN. */
export function maxDifference(a, b) {
  if (a.length !== b.length) return Infinity;
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    if (Number.isNaN(a[i]) !== Number.isNaN(b[i])) return Infinity;
    if (!Number.isNaN(a[i]) && a[i] !== b[i]) {
      largest = Math.max(largest, Math.abs(a[i] - b[i]));
    }
  }
  return largest;
}

const isError = (code, message) => (error) => {
  assert.ok(error instanceof HeadwiseError, `${error?.stack ?? error}`);
  assert.equal(error.name, 'HeadwiseError');
  assert.equal(error.code, code, error.message);
  const check = message instanceof RegExp ? assert.match : assert.equal;
  check(error.message, message);
  return true;
};

/** Checks that the call throws this HeadwiseError. `message` is a text or a pattern. */
export function assertFails(call, code, message) {
  assert.throws(call, isError(code, message));
}

/** Checks that the call returns a promise that is rejected with this error. */
export const assertRejects = (call, code, message) =>
  assert.rejects(call(), isError(code, message));

/**
 * A pass in training mode that fits the layer's sizes. Unknown sizes become 6, which no bad call of
 * the tests has, so that sizes inferred from bad calls are noticed.
 */
function goodForward(layer) {
  const { querySize = 6, keySize = 6, valueSize = 6 } = layer;
  return layer
    .train()
    .forward(
      Tensor.randn([2, 3, querySize], 1),
      Tensor.randn([2, 4, keySize], 2),
      Tensor.randn([2, 4, valueSize], 3),
      { returnWeights: true },
    );
}

export function assertSameResult(actual, expected) {
  assert.deepEqual(actual.output, expected.output);
  assert.deepEqual(actual.attentionWeights, expected.attentionWeights);
}

/**
 * Checks that the call fails and leaves a layer unchanged: sizes, parameters, mode and the next
 * dropout mask, before its first pass and after it.
 */
export function assertFailsAndChangesNothing(options, call, code, message) {
  const layer = new MultiHeadAttention({ seed: 7, ...options, dropout: 0.5 });
  const twin = new MultiHeadAttention({ seed: 7, ...options, dropout: 0.5 });
  const state = ({ querySize, keySize, valueSize, training, disposed }) => {
    return { querySize, keySize, valueSize, training, disposed };
  };
  assertFails(() => call(layer), code, message);
  assert.deepEqual(state(layer), state(twin));
  assertSameResult(goodForward(layer), goodForward(twin));
  assert.deepEqual(layer.stateDict(), twin.stateDict());
  if (code !== 'sizes-unknown') {
    assert.throws(() => call(layer), HeadwiseError);
    assertSameResult(goodForward(layer), goodForward(twin));
  }
  layer.dispose();
  twin.dispose();
}
