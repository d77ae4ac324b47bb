import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again, until it is so; gives what was answered. Fails after a minute with `what`. */
export async function until(isSo, what) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await isSo();
    if (answer) return answer;
    assert.ok(Date.now() < deadline, typeof what === 'function' ? await what() : what);
    await sleep(20);
  }
}
