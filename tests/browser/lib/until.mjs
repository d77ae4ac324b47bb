import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { patience } from './browser.mjs';

/** Waits until pending changes are drawn. Runs in the page. */
export const twoFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))));

/** Polls until the answer is truthy and returns it. Fails with `what` after the timeout. */
export async function until(isSo, what) {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await isSo();
    if (answer) return answer;
    assert.ok(Date.now() < deadline, typeof what === 'function' ? await what() : what);
    await sleep(20);
  }
}
