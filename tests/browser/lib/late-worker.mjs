// The model worker of the page: slow or lost.
import { twoFrames, until } from './until.mjs';

/**
 * Holds messages to the model worker back until the page's `letWorkersCome()`, and stops long timers: the page's
 * `runOutOfPatience()` fires them all and returns their number. `modelWorkers` counts the started workers.
 */
export const holdWorkers = (page) =>
  page.evaluateOnNewDocument(() => {
    const held = [];
    let isHeld = true;
    window.modelWorkers = 0;
    window.letWorkersCome = () => {
      isHeld = false;
      for (const send of held.splice(0)) send();
    };
    window.Worker = class extends Worker {
      #isModel;
      constructor(address, options) {
        super(address, options);
        this.#isModel = /model-worker/.test(address);
        if (this.#isModel) window.modelWorkers += 1;
      }
      postMessage(...args) {
        if (this.#isModel && isHeld) held.push(() => super.postMessage(...args));
        else super.postMessage(...args);
      }
    };

    const { setTimeout: start, clearTimeout: end } = window;
    const waiting = new Map();
    window.setTimeout = (act, delay, ...rest) => {
      // The delay may be undefined.
      if (!(delay >= 20_000)) return start(act, delay, ...rest);
      const id = start(() => undefined);
      waiting.set(id, act);
      return id;
    };
    window.clearTimeout = (id) => {
      waiting.delete(id);
      end(id);
    };
    window.runOutOfPatience = () => {
      const acts = [...waiting.values()];
      waiting.clear();
      for (const act of acts) act();
      return acts.length;
    };
  });

/** Waits for a call to the worker, and fires its timeout. */
export const runOutOfPatience = (page) =>
  page.waitForFunction(() => window.runOutOfPatience() > 0, { polling: 50 });

export const workerOf = (page) => page.workers().find((each) => /model-worker/.test(each.url()));

/** Waits until the update that was pending when a run was paused is drawn. */
export async function waitForLastUpdate(page) {
  await workerOf(page).evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
  await page.evaluate(twoFrames);
}

/** Makes the worker fail, once it has started: before, it has no timers. */
export const failWorker = (page) =>
  until(
    () =>
      workerOf(page)?.evaluate(() => {
        if (globalThis.setTimeout === undefined) return false;
        setTimeout(() => {
          throw new Error('the test ends this worker');
        });
        return true;
      }),
    'the worker does not start',
  );
