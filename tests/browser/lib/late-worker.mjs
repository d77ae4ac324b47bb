// The worker of a page that trains: held back, waited for, and lost.
import { twoFrames } from './until.mjs';

/**
 * Holds back what a page sends to the worker of acts 3 and 4, until the page's `letWorkersCome()`, and
 * lets no long timer of the page end by itself: `runOutOfPatience()` ends them all, and tells how many.
 * `modelWorkers` counts the workers that were started.
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
      // One without a delay is short, too.
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

/** Until a call to the worker is on its way, and then until the page has waited for long. */
export const runOutOfPatience = (page) =>
  page.waitForFunction(() => window.runOutOfPatience() > 0, { polling: 50 });

export const workerOf = (page) => page.workers().find((each) => /model-worker/.test(each.url()));

/** Until the update that was on its way when a run was paused is shown. */
export async function waitForLastUpdate(page) {
  await workerOf(page).evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
  await page.evaluate(twoFrames);
}

/** The worker ends with an error, as it may of itself. */
export const failWorker = (page) =>
  workerOf(page).evaluate(() => {
    setTimeout(() => {
      throw new Error('the test ends this worker');
    });
  });
