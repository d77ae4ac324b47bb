// What tests of pruning read and press.
import { open } from './pages.mjs';

export const openPrune = (t, query = '', options = {}) =>
  open(t, `${query}#prune`, { until: '#prune .plant-progress', ...options });

export const textOf = (page, selector) => page.$eval(selector, (found) => found.textContent);

/** A control by the name and role that a screen reader tells. */
export const named = (page, name, role = 'button') =>
  page.$(`#prune ::-p-aria([name="${name}"][role="${role}"])`);

export const press = async (page, name) => (await named(page, name)).click();

export const waitForText = (page, selector, pattern) =>
  page.waitForFunction(
    (where, source) => new RegExp(source).test(document.querySelector(where)?.textContent),
    {},
    selector,
    pattern.source,
  );

export const waitForStatus = (page, pattern) =>
  waitForText(page, '#prune .session-status', pattern);

/** Until the first model is trained, and its maps are there. */
export const waitForMaps = (page) =>
  page.waitForFunction(() => document.querySelectorAll('#prune .guess-tile canvas').length === 12);
