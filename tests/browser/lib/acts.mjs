// An act of the page, opened by its address in the browser under test.
import assert from 'node:assert/strict';
import { violations } from './axe.mjs';
import { sharedEngine } from './engines.mjs';
import { gesturesOf } from './gestures.mjs';
import { isReady } from './pages.mjs';
import { sharedPage } from './shared.mjs';
import { until } from './until.mjs';

/** Firefox reports requests that were pending when a page was left. */
const left = /NS_BINDING_ABORTED|A ServiceWorker intercepted the request/;

/**
 * Opens an act and returns its helpers. `causes` matches problems that the test causes on purpose, `server` replaces
 * the shared server, and `on` starts another engine of engines.mjs.
 */
export async function openAct(t, address, { causes, server, on = sharedEngine } = {}) {
  const [engine, { url }] = await Promise.all([on(), server ?? sharedPage()]);
  t.after(() => {
    const problems = engine.problems
      .splice(0)
      .filter((problem) => !left.test(problem) && !causes?.test(problem));
    assert.deepEqual(problems, []);
  });
  // Leaving first makes an address load even if only its fragment differs.
  await engine.open('about:blank');
  await engine.open(url + address);
  await engine.waitFor(isReady);
  // The code of an act loads after the page.
  const [act] = /#[a-z-]+$/.exec(address) ?? [];
  if (act !== undefined) await engine.waitFor(`${act} .live:not([data-awaited])`);
  return {
    ...engine,
    ...gesturesOf(engine),
    /** Follows the link to another act and focuses it, so that Tab leads to its first element. */
    async goTo(id) {
      await engine.evaluate((wanted) => {
        document.querySelector(`.navigation a[href="#${wanted}"]`).click();
        const section = document.getElementById(wanted);
        section.tabIndex = -1;
        section.focus({ preventScroll: true });
      }, id);
      await engine.waitFor(`#${id} .live:not([data-awaited])`);
    },
    count: (selector) =>
      engine.evaluate((each) => document.querySelectorAll(each).length, selector),
    search: () => engine.evaluate(() => window.location.search),
    /** Waits until the address has this query, which may follow later than the drawing. */
    async waitForSearch(expected) {
      let search;
      await until(
        async () => (search = await engine.evaluate(() => window.location.search)) === expected,
        () => `the query is ${search}, not ${expected}`,
      );
    },
    /** Violations that axe-core finds. */
    violations: (rules) => violations(engine, { rules, run: engine.run }),
    /** The weights that act `equal-keys` draws, in the order (head, query, key). */
    weights: () =>
      engine.evaluate(() =>
        [...document.querySelectorAll('#equal-keys .key-cell')].map(({ dataset }) =>
          Number(dataset.weight),
        ),
      ),
    /** Scrolls to the heads of act `look`: their model is loaded for those who see them. */
    seeHeads: () =>
      until(
        () =>
          engine.evaluate(() => {
            if (document.querySelector('#look .candidate[data-leads]')) return true;
            // As a reader scrolls: until then the page goes back to the act that a link has led to.
            window.dispatchEvent(new WheelEvent('wheel'));
            document.querySelector('#look .act-stage').scrollIntoView();
            return false;
          }),
        'the heads are not seen',
      ),
  };
}
