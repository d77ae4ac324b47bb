// The page by keyboard alone, at every width, and where it cannot run.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { actsOf, artefact, fitsAcross, loadAllActs, open } from '../lib/pages.mjs';

/** In the page: whether what has the focus is seen there. */
const isInView = () => {
  const { clipPath } = getComputedStyle(document.activeElement);
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  return clipPath === 'none' && bottom > 0 && top < innerHeight;
};

const focused = (page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    const act = at.closest('main > section')?.id;
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    return {
      tag: at.localName,
      act,
      href: at.getAttribute('href'),
      label: at.getAttribute('aria-label') ?? at.textContent,
      outlined: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
    };
  });

const press = async (page, key) => {
  await page.keyboard.press(key);
  return focused(page);
};

describe('by keyboard alone', () => {
  test('the first stop is a link that skips to the acts', async (t) => {
    const { page } = await open(t);
    const link = await press(page, 'Tab');
    assert.equal(link.href, '#acts');
    assert.ok(link.outlined && (await page.evaluate(isInView)));
    await page.keyboard.press('Enter');
    assert.equal((await focused(page)).tag, 'main');
    const [first] = await actsOf(page);
    for (;;) {
      const { act, tag } = await press(page, 'Tab');
      if (act === undefined) assert.fail(`Tab after the skip link leads to ${tag}`);
      if (act === first) break;
    }
  });

  test('the links after it lead to the acts, and tell which is read', async (t) => {
    const { page } = await open(t);
    const acts = await actsOf(page);
    await page.keyboard.press('Tab');
    for (const act of acts) assert.equal((await press(page, 'Tab')).href, `#${act}`);
    for (const act of acts) {
      await page.focus(`nav [href="#${act}"]`);
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        (href) => document.querySelector('[aria-current]')?.getAttribute('href') === href,
        {},
        `#${act}`,
      );
      assert.equal((await page.$$('.navigation [aria-current]')).length, 1);
      const top = await page.$eval(`#${act} h2`, (title) => title.getBoundingClientRect().top);
      const bar = await page.$eval('.navigation', (nav) => nav.getBoundingClientRect().bottom);
      assert.ok(top >= bar && top < 450, `the title of ${act} is ${top} from the top`);
    }
  });

  test('Tab walks through all there is, seen at every stop, and out at the end', async (t) => {
    const { page } = await open(t);
    await loadAllActs(page);
    await page.waitForSelector('#words .tile-gate');
    const mark =
      'a[href], button, summary, input:not([type=radio]), input:checked, select, textarea';
    const stops = await page.$$eval(mark, (all) => {
      // What arrow keys lead to within a group is no stop of its own.
      const shown = all.filter(
        (stop) => stop.checkVisibility() && !stop.disabled && stop.tabIndex >= 0,
      );
      for (const stop of shown) stop.dataset.unreached = '';
      return shown.length;
    });
    const acts = new Set();
    // Each map is a stop, too, and what scrolls may be another.
    for (let presses = 0; ; presses++) {
      assert.ok(presses < 4 * stops, 'Tab does not come to the end');
      const stop = await press(page, 'Tab');
      if (stop.tag === 'body') break;
      acts.add(stop.act);
      // An act above it may just have been filled, and have pushed it away for a moment.
      await page.waitForFunction(isInView).catch(() => {
        assert.fail(`${stop.act}, ${stop.tag}, “${stop.label}” stays out of view`);
      });
      await page.evaluate(() => delete document.activeElement.dataset.unreached);
    }
    const unreached = await page.$$eval('[data-unreached]', (all) =>
      all.map((stop) => stop.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(unreached, []);
    for (const act of await actsOf(page)) assert.ok(acts.has(act), `${act} was not reached`);
  });
});

describe('the navigation', () => {
  const links = (page) =>
    page.$$eval('.navigation a', (found) =>
      found.filter((link) => link.checkVisibility()).map((link) => link.getAttribute('href')),
    );
  const current = (page, href) =>
    page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('.navigation [aria-current]')]
          .map((link) => link.hash)
          .join() === wanted,
      {},
      href,
    );

  test('tells no act above the first, and the last one at the end of the page', async (t) => {
    const { page } = await open(t);
    const acts = await actsOf(page);
    await current(page, '');
    // So high a window that the last act never comes up to its middle.
    await page.setViewport({ width: 1280, height: 2400 });
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await current(page, `#${acts.at(-1)}`);
  });

  test('has no link to an act that the address hides', async (t) => {
    const { page } = await open(t, '?hide=toy');
    const [, ...rest] = await actsOf(page);
    await page.waitForFunction(() => !document.querySelector('.navigation li').checkVisibility());
    assert.deepEqual(
      await links(page),
      rest.map((act) => `#${act}`),
    );
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await current(page, `#${rest.at(-1)}`);
  });
});

describe('headings', () => {
  test('are in order, one of the first level, and name every act', async (t) => {
    const { page } = await open(t);
    await loadAllActs(page);
    const levels = await page.$$eval('h1, h2, h3, h4, h5, h6', (headings) =>
      headings.map(({ localName }) => Number(localName[1])),
    );
    assert.equal(levels[0], 1);
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, levels.join()));
    assert.equal(levels.filter((level) => level === 2).length, (await actsOf(page)).length);
  });
});

test('every act begins with a sentence or two and a stage, whose rail begins with the goal', async (t) => {
  const acts = await actsOf((await open(t)).page);
  assert.equal(acts.at(-1), 'questions', 'the index, which has neither');
  for (const act of acts.slice(0, -1)) {
    const { page } = await open(t, `#${act}`);
    await page.waitForSelector(`#${act} .act-stage`);
    const parts = '.act-lead, .act-stage, .prose, .goal';
    const begins = await page.$$eval(`#${act} :is(${parts})`, (all) =>
      all.slice(0, 3).map(({ className }) => className),
    );
    assert.deepEqual(begins, ['act-lead', 'act-stage', 'goal'], act);
  }
});

test('on a phone each act’s goal, main controls and status stay in view on a quarter of the screen', async (t) => {
  const size = { width: 390, height: 844 };
  const acts = await actsOf((await open(t)).page);
  // The last one is the index, which has none.
  const views = acts.slice(0, -1).map((act) => [act, '']);
  for (let answer = 1; answer <= 5; answer++) {
    views.push(['heads', `?input=patterns&answer=${answer}`]);
  }
  for (const [act, query] of views) {
    const { page } = await open(t, `${query}#${act}`);
    await page.setViewport(size);
    const bar = await page.waitForSelector(`#${act} :is(.rail-pinned, .candidates)`, {
      visible: true,
    });
    const { top, height, onTop } = await bar.evaluate((found) => {
      scrollBy(0, found.getBoundingClientRect().top);
      scrollBy(0, 40);
      const { top, height } = found.getBoundingClientRect();
      const above = document.elementFromPoint(innerWidth / 2, top + height / 2);
      return { top, height, onTop: found.contains(above) };
    });
    assert.deepEqual({ top, onTop }, { top: 0, onTop: true }, act);
    assert.ok(height <= size.height / 4, `${act}${query} has a bar of ${height}`);
  }
});

describe('at any width', () => {
  for (const [what, address] of [
    ['as it opens', ''],
    ['with 20 heads', '?input=random&seed=1&heads=20&valid=6,2'],
  ]) {
    test(`from 320 to 2560 pixels nothing sticks out, ${what}`, async (t) => {
      const { page } = await open(t, address);
      await loadAllActs(page);
      for (const width of [320, 360, 412, 540, 671, 673, 768, 1024, 1280, 1920, 2560]) {
        await page.setViewport({ width, height: 900 });
        await fitsAcross(page, `${width} pixels`);
        const tooWide = await page.$$eval('.rail, .rail-pinned, .segments, .playback', (all) =>
          all
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ textContent }) => textContent),
        );
        assert.deepEqual(tooWide, [], `${width} pixels`);
      }
    });
  }

  test('nor does it where letters are twice as large', async (t) => {
    const { page } = await open(t, '', { width: 720 });
    await loadAllActs(page);
    const session = await page.createCDPSession();
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    assert.equal(
      await page.$eval('html', (html) => parseFloat(getComputedStyle(html).fontSize) >= 32),
      true,
    );
    await fitsAcross(page);
  });
});

describe('where it cannot run', () => {
  test('for want of an act’s code, the act says so and the others work', async (t) => {
    const prepare = async (page) => {
      await page.setRequestInterception(true);
      page.on('request', (request) =>
        /\/assets\/act-[^/]+\.js$/.test(request.url()) ? request.abort() : request.continue(),
      );
    };
    const causes = /act-[\w-]+\.(?:js|css)|ERR_FAILED|dynamically imported module/;
    const { page } = await open(t, '#train', { prepare, causes });
    await page.waitForSelector('#train .failure');
    assert.match(
      await page.$eval('#train .failure', ({ textContent }) => textContent),
      /^This act did not load\. Check the connection/,
    );
    await page.click('#toy .question-skip button');
    await page.click('#toy .segment:last-of-type');
    await page.waitForSelector('#toy .goal[data-reached]');
  });

  test('for want of JavaScript, it says what it is and what it needs', async (t) => {
    const prepare = (page) => page.setJavaScriptEnabled(false);
    // Of a script that is loaded ahead, though nothing will run it, no answer is awaited.
    const causes = /^request: .*\/assets\/[\w-]+\.js undefined$/;
    const { page } = await open(t, '', { prepare, causes, until: 'noscript h1' });
    await page.screenshot({ path: artefact('no-javascript.png') });
    const words = await page.$eval('noscript', (found) => found.textContent);
    assert.match(words, /multi-head attention/);
    assert.match(words, /needs JavaScript/);
  });

  test('for want of WebAssembly SIMD, it says so in the act that is asked for, and how to mend it', async (t) => {
    const prepare = (page) =>
      page.evaluateOnNewDocument(() => {
        WebAssembly.validate = () => false;
      });
    const { page } = await open(t, '#heads', { prepare });
    await page.screenshot({ path: artefact('no-simd.png'), fullPage: true });
    const told = await page.$$eval('#heads .failure', (found) =>
      found.map((each) => each.textContent),
    );
    assert.notEqual(told.length, 0);
    for (const words of told) {
      assert.match(words, /WebAssembly SIMD, which this browser lacks/);
      assert.match(words, /Chrome and Edge .* 91, Firefox .* 89, Safari .* 16\.4/);
    }
    assert.equal((await page.$$('main button:not(.term), main input')).length, 0);
  });
});
