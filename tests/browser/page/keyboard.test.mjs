// The page by keyboard alone, and its navigation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf, isReady, loadAllActs, open, readSentence } from '../lib/pages.mjs';

/** In the page: what has the focus, whether it can be seen, and whether it has an outline. */
const describeFocus = () => {
  const { activeElement: at } = document;
  const { outlineStyle, outlineWidth, clipPath } = getComputedStyle(at);
  const { top, bottom } = at.getBoundingClientRect();
  delete at.dataset.unreached;
  return {
    tag: at.localName,
    act: at.closest('main > section')?.id,
    href: at.getAttribute('href'),
    label: at.getAttribute('aria-label') ?? at.textContent,
    isInView: clipPath === 'none' && bottom > 0 && top < innerHeight,
    isOutlined: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
  };
};

const press = async (page, key) => {
  await page.keyboard.press(key);
  return page.evaluate(describeFocus);
};

/** Until these links, joined, are the current ones of the navigation. */
const waitForCurrent = (page, hrefs) =>
  page.waitForFunction(
    (wanted) =>
      Array.from(
        document.querySelectorAll('.navigation [aria-current]'),
        ({ hash }) => hash,
      ).join() === wanted,
    {},
    hrefs,
  );

test('a link skips to the acts, others lead to each, and Tab reaches every control in view', async (t) => {
  const { page } = await open(t);
  const acts = await actsOf(page);
  await waitForCurrent(page, `#${acts[0]}`);
  const skip = await press(page, 'Tab');
  assert.equal(skip.href, '#acts');
  assert.ok(skip.isOutlined && skip.isInView);
  for (const act of acts) assert.equal((await press(page, 'Tab')).href, `#${act}`);
  for (const act of acts) {
    await page.focus(`nav [href="#${act}"]`);
    await page.keyboard.press('Enter');
    await waitForCurrent(page, `#${act}`);
    const [top, bar] = await page.evaluate(
      (title) => [
        document.querySelector(title).getBoundingClientRect().top,
        document.querySelector('.navigation').getBoundingClientRect().bottom,
      ],
      `#${act} h2`,
    );
    assert.ok(top >= bar && top < 450, `the title of ${act} is ${top} from the top`);
  }
  await page.focus('.skip-link');
  assert.equal((await press(page, 'Enter')).tag, 'main');

  // Following the links has loaded all acts.
  await readSentence(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  const mark = 'a[href], button, summary, input:not([type=radio]), input:checked, select, textarea';
  const stops = await page.evaluate((where) => {
    // Arrow keys lead to the other elements of a group.
    const shown = [...document.querySelectorAll(where)].filter(
      (stop) =>
        stop.checkVisibility() &&
        !stop.disabled &&
        stop.tabIndex >= 0 &&
        !stop.matches('.skip-link, .masthead *, .navigation *'),
    );
    for (const stop of shown) stop.dataset.unreached = '';
    return shown.length;
  }, mark);
  const reached = new Set();
  // Each map is a stop, too, and a scrollable box may be another.
  for (let presses = 0; ; presses++) {
    assert.ok(presses < 4 * stops, 'Tab does not come to the end');
    let stop = await press(page, 'Tab');
    if (stop.tag === 'body') break;
    reached.add(stop.act);
    if (!stop.isInView) {
      // Content that loads above may just have pushed it away.
      await page.waitForFunction(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
      });
      stop = await page.evaluate(describeFocus);
    }
    assert.ok(stop.isInView, `${stop.act}, ${stop.tag}, “${stop.label}” is out of view`);
  }
  const unreached = await page.$$eval('[data-unreached]', (all) =>
    all.map((stop) => stop.outerHTML.slice(0, 100)),
  );
  assert.deepEqual(unreached, []);
  for (const act of await actsOf(page)) assert.ok(reached.has(act), `${act} was not reached`);
});

test('a hidden act has no link, and the last act is current at the end of the page', async (t) => {
  const { page, url } = await open(t);
  const [first, ...rest] = await actsOf(page);
  await page.goto(`${url}?hide=${first}`);
  await page.waitForSelector(isReady);
  await page.waitForFunction(() => !document.querySelector('.navigation li').checkVisibility());
  const links = await page.$$eval('.navigation a', (all) =>
    all.filter((link) => link.checkVisibility()).map(({ hash }) => hash),
  );
  assert.deepEqual(
    links,
    rest.map((act) => `#${act}`),
  );
  // So high a window that the last act never comes up to its middle.
  await page.setViewport({ width: 1280, height: 2400 });
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await waitForCurrent(page, `#${rest.at(-1)}`);
});

test('without scroll anchoring (WebKit) the page keeps the act that is read in its place', async (t) => {
  const { page } = await open(t, '#prune', {
    prepare: (tab) =>
      tab.evaluateOnNewDocument(() => {
        const { supports } = CSS;
        CSS.supports = (...asked) => asked[0] !== 'overflow-anchor' && supports.apply(CSS, asked);
        document.addEventListener('DOMContentLoaded', () => {
          const none = new CSSStyleSheet();
          none.replaceSync('* { overflow-anchor: none }');
          document.adoptedStyleSheets.push(none);
        });
      }),
  });
  await loadAllActs(page);
  await page.$eval('#prune', (act) => act.scrollIntoView());
  // The reader takes over: until then the page brings the act of the address back.
  await page.keyboard.press('Shift');
  const [first, ...others] = (await actsOf(page)).filter((act) => act !== 'prune');
  /** Scrolls, makes an act higher, and gives the place of act `prune` before and after. */
  const grow = (grown, scroll = 0) =>
    page.evaluate(
      async (id, by) => {
        const frames = async () => {
          for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        };
        const top = () => document.querySelector('#prune').getBoundingClientRect().top;
        window.scrollBy({ top: by, behavior: 'instant' });
        await frames();
        const before = top();
        const box = document.createElement('div');
        box.style.height = '250px';
        document.querySelector(`#${id}`).append(box);
        await frames();
        return { moved: Math.abs(top() - before), scrolled: window.scrollY };
      },
      grown,
      scroll,
    );
  for (const [act, scroll] of [[first], ...others.map((act) => [act]), [first, 120]]) {
    assert.ok((await grow(act, scroll)).moved <= 1, act);
  }
  assert.equal((await grow(first, -1e6)).scrolled, 0, 'the top stays the top');
});
