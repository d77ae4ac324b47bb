import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { patience } from './browser.mjs';

/** Until what has come is drawn. This runs in the page. */
export const twoFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))));

/** Asks again and again, until it is so; gives what was answered. Fails with `what` when patience ends. */
export async function until(isSo, what) {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await isSo();
    if (answer) return answer;
    assert.ok(Date.now() < deadline, typeof what === 'function' ? await what() : what);
    await sleep(20);
  }
}
