import assert from 'node:assert/strict';
import test from 'node:test';
import { init } from 'headwise';
import { faultOf } from '../lib/vector-check.mjs';
import { readVectors } from '../lib/vectors.mjs';

await init();

const sizeOf = ({ tensors }) =>
  Object.values(tensors).reduce((sum, { data }) => sum + data.length, 0);

// HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose others, for the vectors and for the native test.
test('random configurations agree with the float64 reference', (context) => {
  const calls = readVectors('random-configurations');
  context.diagnostic(`${calls.length} configurations from HEADWISE_SEED=${calls[0].seed}`);
  const wrong = calls.filter(faultOf).toSorted((a, b) => sizeOf(a) - sizeOf(b));
  if (wrong.length > 0) {
    const [{ seed, code }] = wrong;
    assert.fail(
      `${wrong.length} of ${calls.length} are wrong. The smallest, which HEADWISE_SEED=${seed} and ` +
        `HEADWISE_CONFIGURATIONS=1 make alone:\n${code}\n  ${faultOf(wrong[0])}`,
    );
  }
});
