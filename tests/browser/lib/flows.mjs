// One act in one page, whose flows run one after the other.
import assert from 'node:assert/strict';
import { ofColours, violations } from './axe.mjs';
import { useDownloads } from './downloads.mjs';
import { fitsAcross, open, prefer, searchOf } from './pages.mjs';
import { waitForCount, waitForSearch, waitForText } from './pages.mjs';
import { pressFound } from './press.mjs';

const controls = {
  button: ':is(button, [role="button"])',
  combobox: 'select',
  radio: '[type="radio"]',
  slider: ':is([type="range"], [role="slider"])',
  switch: '[role="switch"]',
};

/** Finds a control by its accessible name, once it is drawn. Runs in the page. */
function findControl(selector, name) {
  const nameOf = (each) =>
    each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent;
  const found = [...document.querySelectorAll(selector)].find(
    (each) => nameOf(each).trim() === name,
  );
  const folded = found?.closest('details:not([open])');
  if (folded) folded.open = true;
  return found?.getClientRects().length > 0 ? found : undefined;
}

/** Opens an act. Returns its page and helpers, whose selectors are relative to the act. */
export async function openFlows(t, id, query = '', options = {}) {
  const { page, url } = await open(t, `${query}#${id}`, options);
  const within = (selector) => `#${id} ${selector}`;
  let readFile;

  const flows = {
    page,
    url,
    text: (selector) => page.$eval(within(selector), ({ textContent }) => textContent.trim()),
    /** The numbers in a text. */
    numbers: async (selector) =>
      (
        (await flows.text(selector)).replaceAll('−', '-').match(/-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g) ??
        []
      ).map(Number),
    /**
     * Maps a function over all matching elements. Puppeteer's own `$$eval` makes a handle for each element, which takes
     * seconds for many.
     */
    each: (selector, read) =>
      page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(within(selector))})].map(${String(read)})`,
      ),
    /** One or several attributes of all matching elements, parsed if they are numbers. */
    async all(selector, ...names) {
      const found = await page.evaluate(
        (where, wanted) =>
          [...document.querySelectorAll(where)].map((each) =>
            wanted.map((name) => each.getAttribute(name)),
          ),
        ...[within(selector), names],
      );
      const read = (value) =>
        value === null || value === '' || isNaN(value) ? value : Number(value);
      return found.map((values) => (names.length === 1 ? read(values[0]) : values.map(read)));
    },
    tops: (selector) => flows.each(selector, (each) => each.getBoundingClientRect().top),
    texts: (selector) => flows.each(selector, ({ textContent }) => textContent.trim()),
    first: async (selector, ...names) => (await flows.all(selector, ...names))[0],
    count: async (selector) => (await flows.all(selector)).length,
    isSeen: (selector) => page.$eval(within(selector), (found) => found.checkVisibility()),
    waitFor: (selector) => page.waitForSelector(within(selector)),
    waitForCount: (selector, count) => waitForCount(page, within(selector), count),
    waitForText: (selector, pattern) => waitForText(page, within(selector), pattern),
    /** Waits until an attribute has a value. */
    waitForValue: (selector, name, value) =>
      page.waitForSelector(`${within(selector)}[${name}=${JSON.stringify(String(value))}]`),
    /** Waits until an attribute of the first match has another value. */
    waitForChange: (selector, name, value) =>
      page.waitForFunction(
        (where, named, before) => document.querySelector(where).getAttribute(named) !== before,
        {},
        ...[within(selector), name, value],
      ),

    /** Changes the address without loading the page, as the back button does. */
    async visit(to) {
      await page.evaluate((search) => {
        history.pushState(null, '', location.pathname + search + location.hash);
        dispatchEvent(new PopStateEvent('popstate'));
      }, to);
    },
    waitForSearch: (search) => waitForSearch(page, search),
    parameter: async (name) => new URLSearchParams(await searchOf(page)).get(name),
    /** Number of corrections of the address that the act reports. */
    notices: () => flows.count('.notices p'),

    /** Waits for a control of a name and a role. Opens the `details` around it. */
    control: (name, role = 'button') =>
      page.waitForFunction(findControl, {}, within(controls[role]), name),
    press: (name, role) => pressFound(() => flows.control(name, role), name),
    /** Clicks without the pointer, for elements that may move or be covered. */
    click: (selector) =>
      page.$eval(within(selector), (found) =>
        found.dispatchEvent(new MouseEvent('click', { bubbles: true })),
      ),
    hover: (selector) => page.hover(within(selector)),
    async keys(selector, ...keys) {
      if (selector !== undefined) await page.$eval(within(selector), (found) => found.focus());
      for (const key of keys) await page.keyboard.press(key);
    },
    async slide(name, ...keys) {
      await (await flows.control(name, 'slider')).focus();
      await flows.keys(undefined, ...keys);
    },
    /** Replaces the value of a field. */
    write: (selector, words) =>
      page.$eval(
        within(selector),
        (field, written) => {
          // Ends the history entry of what was typed before.
          field.dispatchEvent(new Event('change'));
          field.value = written;
          field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        },
        words,
      ),

    /** Saves a figure of the act and returns the file's bytes. */
    async save(label, file) {
      readFile ??= await useDownloads(t, page);
      await flows.press('Save');
      await flows.press(label);
      return readFile(file);
    },

    /** Asserts that axe-core finds nothing, light or dark, and that nothing is wider than the window. */
    async isForEveryone() {
      await fitsAcross(page);
      assert.deepEqual(await violations(page, { scope: `#${id}` }), []);
      await prefer(page, { scheme: 'dark' });
      assert.deepEqual(await violations(page, { scope: `#${id}`, rules: ofColours }), []);
      await prefer(page);
    },
    /** Asserts that a part fits the window below the navigation, with all `details` closed. */
    async fitsScreen(selector = '.act-stage') {
      await flows.each('.rail-more', (more) => (more.open = false));
      // A chart is resized a frame later than its container.
      await page
        .waitForFunction(
          (where) => {
            const { height } = document.querySelector(where).getBoundingClientRect();
            const bar = document.querySelector('nav').getBoundingClientRect().height;
            return height > 0 && height <= innerHeight - bar;
          },
          {},
          within(selector),
        )
        .catch(() => assert.fail(`${selector} is higher than the window`));
    },
  };
  return flows;
}
