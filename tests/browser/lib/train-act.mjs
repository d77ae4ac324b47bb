// What tests of the act on training read and press.
import { open } from './pages.mjs';
import { twoFrames } from './until.mjs';

export const until = '#train .playback';

/** Neighbours have workers, too: in the address of a test that does something to a worker. */
export const alone = '?hide=prune,words,align';

/** Opens the act; its run is at its beginning, or on its way to the step that the address asks for. */
export const openRun = async (t, query = '', options = {}) => {
  const opened = await open(t, `${query}#train`, { until, ...options });
  await waitForStatus(opened.page, /^Step \d/);
  return opened;
};

export const textOf = (page, selector) => page.$eval(selector, (found) => found.textContent);
export const statusOf = (page) => textOf(page, '#train .run-status');
export const stepOf = async (page) => Number(/^Step (\d+)/.exec(await statusOf(page))[1]);
export const workerOf = (page) =>
  page.workers().find((worker) => /model-worker/.test(worker.url()));
/** Once the run rests, and the update that was on its way is there. */
export async function restingStepOf(page) {
  await page.waitForFunction(
    (running) => document.querySelector('#train .playback .primary').textContent !== running,
    {},
    'Pause',
  );
  for (let last = -1; ;) {
    const step = await stepOf(page);
    if (step === last) return step;
    last = step;
    // A timer comes after what the worker has been asked. That has been posted then, and after two frames shown.
    await workerOf(page).evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
    await page.evaluate(twoFrames);
  }
}
export const eventsOf = (page) =>
  page.$$eval('#train .log-list li', (all) => all.map((li) => li.textContent.trim()));
export const button = (page, name) => page.$(`#train ::-p-aria([name="${name}"][role="button"])`);
export const press = async (page, name) => (await button(page, name)).click();
/** The maps of all heads, pixel by pixel. */
export const mapsOf = (page) =>
  page.$$eval('#train canvas', (all) => all.map((canvas) => canvas.toDataURL()));

/** Also where the act is still to come. */
export const waitForStatus = (page, pattern) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('#train .run-status')?.textContent),
    {},
    pattern.source,
  );
export const waitForStep = (page, step) => waitForStatus(page, new RegExp(`^Step ${step}:`));
export const waitForGoal = (page) => page.waitForSelector('#train .log [data-kind="goal"]');
