// The package learns its tasks in a page, on one thread, from every seed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPlain as open } from '../lib/package-server.mjs';

for (const task of ['induction', 'sort']) {
  test(`${task} from five seeds`, async (t) => {
    const page = await open(t);
    const results = await page.evaluate(async (name) => {
      const headwise = await import('/headwise/index.js');
      const { learn } = await import('/learn.js');
      await headwise.init({ threads: 1 });
      return [1, 2, 3, 4, 5].map((seed) => learn(headwise, name, seed));
    }, task);
    for (const [i, { steps, milliseconds, score, goal }] of results.entries()) {
      t.diagnostic(
        `seed ${i + 1}: ${score.toFixed(3)} after ${steps} steps, ${Math.round(milliseconds)} ms`,
      );
      assert.ok(score > goal, `seed ${i + 1}: ${score} of ${goal}`);
    }
  });
}
