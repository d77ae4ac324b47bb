// An act of the page, opened by its address in the browser that the tests are to run in.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launchEngine } from './engines.mjs';
import { gesturesOf } from './gestures.mjs';
import { isReady } from './pages.mjs';
import { servePage } from './server.mjs';

/** Firefox tells of what was still on its way when a page was left. */
const left = /NS_BINDING_ABORTED|A ServiceWorker intercepted the request/;

/**
 * Serves the page while the file's tests run; gives the function that opens it, and what can then be
 * done with it. `causes` are the problems that the test makes on purpose.
 */
export function useActs() {
  let server;
  let engine;

  before(async () => {
    [server, engine] = await Promise.all([servePage(), launchEngine()]);
  });

  after(async () => {
    await engine?.close();
    await server?.close();
  });

  return async function open(t, address, { causes } = {}) {
    t.after(() => {
      const problems = engine.problems
        .splice(0)
        .filter((problem) => !left.test(problem) && !causes?.test(problem));
      assert.deepEqual(problems, []);
    });
    // To leave first makes a page that differs in its fragment alone load anew.
    await engine.open('about:blank');
    await engine.open(server.url + address);
    await engine.waitFor(isReady);
    return {
      ...engine,
      ...gesturesOf(engine),
      /** Ends the page's server, and gives the address at which it was. */
      async endServer() {
        await server.close();
        return server.url;
      },
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
  };
}
