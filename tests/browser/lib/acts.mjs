// An act of the page, opened by its address in the browser that the tests are to run in.
import assert from 'node:assert/strict';
import { violations } from './axe.mjs';
import { sharedEngine } from './engines.mjs';
import { gesturesOf } from './gestures.mjs';
import { isReady } from './pages.mjs';
import { sharedPage } from './shared.mjs';
import { until } from './until.mjs';

/** Firefox tells of what was still on its way when a page was left. */
const left = /NS_BINDING_ABORTED|A ServiceWorker intercepted the request/;

/**
 * Opens an act; gives what can be done with it. `causes` are the problems that the test makes on
 * purpose, `server` is another than that of all tests, and `on` starts another engine of engines.mjs.
 */
export async function openAct(t, address, { causes, server, on = sharedEngine } = {}) {
  const [engine, { url }] = await Promise.all([on(), server ?? sharedPage()]);
  t.after(() => {
    const problems = engine.problems
      .splice(0)
      .filter((problem) => !left.test(problem) && !causes?.test(problem));
    assert.deepEqual(problems, []);
  });
  // To leave first makes a page that differs in its fragment alone load anew.
  await engine.open('about:blank');
  await engine.open(url + address);
  await engine.waitFor(isReady);
  // Its code comes later than the page.
  const [act] = /#[a-z]+$/.exec(address) ?? [];
  if (act !== undefined) await engine.waitFor(`${act} .live:not([data-awaited])`);
  return {
    ...engine,
    ...gesturesOf(engine),
    /** Follows the link to another act, whose first element is then the next stop of Tab. */
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
    /** Waits until the query of the address is the expected one: the address may be behind what is shown. */
    async waitForSearch(expected) {
      let search;
      await until(
        async () => (search = await engine.evaluate(() => window.location.search)) === expected,
        () => `the query is ${search}, not ${expected}`,
      );
    },
    /** What axe-core finds in the page. */
    violations: (rules) => violations(engine, { rules, run: engine.run }),
    /** The cells that an act draws, as (sample, head, query, key). */
    cellsOf: (act) =>
      engine.evaluate(
        (id) =>
          [...document.querySelectorAll(`#${id} .samples .cell`)].map(({ dataset }) => ({
            sample: Number(dataset.sample),
            head: Number(dataset.head),
            query: Number(dataset.query),
            key: Number(dataset.key),
            weight: Number(dataset.weight),
          })),
        act,
      ),
  };
}
