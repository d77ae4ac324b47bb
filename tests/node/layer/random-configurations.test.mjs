import assert from 'node:assert/strict';
import test from 'node:test';
import { init } from 'headwise';
import { faultOf, report, shrunk } from '../lib/configuration-check.mjs';
import { randomConfiguration } from '../lib/configuration.mjs';

await init();

// HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose others. Configuration n of seed s is the first of
// seed s + n.
const seed = Number(process.env.HEADWISE_SEED ?? 20260101);
const count = Number(process.env.HEADWISE_CONFIGURATIONS ?? 3000);

test('random configurations agree with the float64 reference', (context) => {
  context.diagnostic(`${count} configurations from HEADWISE_SEED=${seed}`);
  for (let n = 0; n < count; n++) {
    const configuration = randomConfiguration(seed + n);
    if (faultOf(configuration) !== undefined) {
      const smallest = shrunk(configuration);
      assert.fail(
        `HEADWISE_SEED=${seed + n}\n${report(configuration)}\nshrunk to\n${report(smallest)}`,
      );
    }
  }
});
