// The whole page in each language: nothing overflows, nothing is cut, nothing is left in English. In English also what
// else is asked of all acts at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPixels } from '../lib/page-reader.mjs';
import { actsOf, fitsAcross, loadAllActs, open } from '../lib/pages.mjs';
import { twoFrames, until } from '../lib/until.mjs';

/** The screens that leave a stage the least height and the least width. */
const screens = [
  [1366, 768],
  [1280, 800],
];
const sizes = [[768, 1024], [320, 800], ...screens];

/** Sets the size of the window. Charts follow a frame later. */
async function resize(page, [width, height]) {
  await page.setViewport({ width, height });
  await page.evaluate(twoFrames);
}

/** How many pixels each stage is higher than the screen, and how far its rail can be scrolled. */
const stagesOf = (page) =>
  page.$$eval('.act-stage', (stages) => {
    const room = innerHeight - document.querySelector('.navigation').getBoundingClientRect().height;
    const shown = stages.filter((stage) => stage.checkVisibility());
    return shown.map((stage) => {
      const rail = stage.querySelector('.rail');
      const { height } = stage.getBoundingClientRect();
      return {
        act: stage.closest('section[id]').id,
        height,
        over: Math.max(0, Math.round(height - room)),
        hidden: rail.scrollHeight - rail.clientHeight,
      };
    });
  });

/** Controls whose text does not fit, and boxes whose content is wider than they are. */
const cutOf = (page) =>
  page.evaluate(() => {
    const shown = (selector) =>
      [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
    const isWider = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth;
    const isHigher = ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight;
    const cut = [
      ...shown('.segment > span, button, select')
        // On a phone the numbers of the figure's steps are left of their names.
        .filter((each) => getComputedStyle(each).overflow !== 'hidden')
        .filter((each) => isWider(each) || isHigher(each)),
      ...shown('.rail, .rail-pinned, .segments, .playback').filter(isWider),
    ];
    return cut.map((each) => `${each.closest('section[id]')?.id}: ${each.textContent}`);
  });

/** The links to the acts stand in one line; each can be read and tapped. */
async function checkNavigation(page, width) {
  const links = await page.$$eval('.navigation a', (all) =>
    all.map((link) => {
      const { top, left, right, width: wide, height } = link.getBoundingClientRect();
      return { top, left, right, wide, height, size: parseFloat(getComputedStyle(link).fontSize) };
    }),
  );
  for (const { top, left, right, wide, height, size } of links) {
    assert.equal(top, links[0].top);
    assert.ok(left >= 0 && right <= width, `from ${left} to ${right}`);
    assert.ok(wide >= 24 && height >= 24, `${wide} × ${height}`);
    assert.ok(size >= 12, `letters of ${size} pixels`);
  }
}

async function checkLayout(page, acts) {
  for (const size of sizes) {
    const name = size.join(' × ');
    await resize(page, size);
    await fitsAcross(page, name);
    assert.deepEqual(await cutOf(page), [], name);
    if (size[0] < 400) await checkNavigation(page, size[0]);
    if (!screens.includes(size)) continue;
    const stages = await stagesOf(page);
    assert.deepEqual([...new Set(stages.map(({ act }) => act))], acts);
    const wrong = stages.filter(
      ({ height, over, hidden }) => height < 150 || over > 0 || hidden > 0,
    );
    assert.deepEqual(wrong, [], name);
  }
}

/** What stays as it is in any language: code, names, what models read and write. */
const untranslated =
  'code, pre, svg.layer-figure, attention-heads, [lang="en"]:not(html), [translate="no"], ' +
  '.languages, textarea, input, .token, script, style, noscript';

/** All text of three English words in a row or more, visible or for screen readers. */
const englishOf = (page) =>
  page.evaluate((skipped) => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode;
      if (parentElement.closest(skipped) === null) texts.push(textContent.trim());
    }
    for (const each of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (each.closest(skipped) !== null) continue;
      texts.push(each.ariaLabel ?? '', each.title ?? '', each.placeholder ?? '');
    }
    return texts.filter(
      (text) => /[a-z]+ [a-z]+ [a-z]+/i.test(text) && text !== 'Dive into Deep Learning',
    );
  }, untranslated);

const termsOf = (page) =>
  page.evaluate(() => [...document.querySelectorAll('.term')].map(({ dataset }) => dataset.term));

/** How many of the elements are visible. */
const countVisible = (page, selector) =>
  page.evaluate(
    (where) =>
      [...document.querySelectorAll(where)].filter((each) => each.checkVisibility()).length,
    selector,
  );

async function openLanguage(t, language) {
  const { page } = await open(t, `?lang=${language}`);
  assert.equal(await page.$eval('html', ({ lang }) => lang), language);
  await loadAllActs(page);
  await page.waitForSelector('#inside .inside-figure');
  return page;
}

/** What is asked of the whole page in English, one after the other. */
const checks = {
  async 'headings are in order, and every act begins with a lead, a stage and its goal'(
    page,
    acts,
  ) {
    const levels = await page.$$eval('h1, h2, h3, h4, h5, h6', (headings) =>
      headings.map(({ localName }) => Number(localName[1])),
    );
    assert.equal(levels.filter((level) => level === 1).length, 1);
    assert.equal(levels.filter((level) => level === 2).length, acts.length);
    levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, levels.join()));
    for (const act of acts) {
      const parts = '.act-lead, .act-stage, .prose, .goal';
      const begins = await page.$$eval(`#${act} :is(${parts})`, (all) =>
        all.slice(0, 3).map(({ classList }) => classList[0]),
      );
      assert.deepEqual(begins, ['act-lead', 'act-stage', 'goal'], act);
    }
  },
  async 'one region speaks to screen readers, beside the log of a run'(page) {
    const live = '[role=alert], [role=timer], [role=marquee], [aria-live], output';
    const speaking = await page.$$eval(`[role=status], [role=log], ${live}`, (all) =>
      all.map(({ className }) => className),
    );
    assert.deepEqual(speaking.sort(), ['live-region', 'log-list']);
  },
  async 'nothing moves for readers who prefer reduced motion'(page) {
    const moving = await page.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter((element) => {
          const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
          const seconds = Math.max(...transitionDuration.split(',').map(parseFloat));
          return seconds > 0 || animationName !== 'none' || scrollBehavior === 'smooth';
        }).length,
    );
    assert.equal(moving, 0);
  },
  layout: checkLayout,
  async 'on a tablet each act’s main controls stay in view on a quarter of the screen'(page, acts) {
    const height = 1024;
    await resize(page, [768, height]);
    const navigation = await page.$eval('.navigation', (bar) => bar.clientHeight);
    const views = [
      ...acts.map((act) => [act, '']),
      ...['mask', 'patterns'].map((question) => ['equal-keys', `?keys-question=${question}`]),
    ];
    for (const [act, query] of views) {
      // As if the reader went back to this address.
      await page.evaluate((search) => {
        window.history.replaceState(null, '', `${window.location.pathname}${search}`);
        window.dispatchEvent(new PopStateEvent('popstate'));
      }, query);
      const bar = `#${act} :is(.rail-pinned, .candidates)`;
      await page.$eval(`#${act} .live`, (part) => part.scrollIntoView());
      await page.waitForSelector(bar, { visible: true });
      let found;
      await until(async () => {
        found = await page.$eval(bar, (element) => {
          element.closest('section').scrollIntoView();
          scrollBy({ top: element.getBoundingClientRect().top, behavior: 'instant' });
          const box = element.getBoundingClientRect();
          const onTop = document.elementFromPoint(innerWidth / 2, box.top + box.height / 2);
          return { top: box.top, bar: box.height, isOnTop: element.contains(onTop) };
        });
        return Math.abs(found.top - navigation) <= 1 && found.isOnTop;
      }, `the bar of ${act}${query} does not stay in view`);
      assert.ok(found.bar <= height / 4, `${act}${query} has a bar of ${found.bar}`);
    }
  },
  async 'every term has a definition, within the window of a phone'(page) {
    const wrong = await page.evaluate(async () => {
      // Opens all answers.
      window.dispatchEvent(new Event('beforeprint'));
      const faults = [];
      const seen = new Set();
      for (let step = 1; step <= 9; step++) {
        document.querySelector(`#inside .inside-steps input[value="${step}"]`).click();
        for (const each of document.querySelectorAll('.term')) {
          const { term: name } = each.dataset;
          if (seen.has(name) || !each.checkVisibility()) continue;
          seen.add(name);
          each.scrollIntoView({ block: 'center', behavior: 'instant' });
          each.click();
          while (each.ariaExpanded !== 'true') await new Promise(requestAnimationFrame);
          const box = document.querySelector('.definition');
          const { left, right, top, bottom } = box.getBoundingClientRect();
          if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight) {
            faults.push(`${name}: outside`);
          }
          if (!/^[A-Z].*\.$/.test(box.textContent)) faults.push(`${name}: no text`);
          each.click();
        }
      }
      return seen.size < 15 ? [...faults, ...seen] : faults;
    });
    assert.deepEqual(wrong, []);
  },
  async 'on paper the figures are there, and nothing to press'(page, acts) {
    await page.emulateMediaType('print');
    // The width of A4 between its margins.
    await resize(page, [718, 1000]);
    const pressable = 'nav, button:not(:has(svg), .term), input, select, textarea, .skip-link';
    assert.equal(await countVisible(page, pressable), 0);
    for (const act of acts) {
      assert.equal(await countVisible(page, `#${act} h2`), 1);
      const maps = `#${act} svg.map`;
      assert.equal(await countVisible(page, maps), (await page.$$(maps)).length);
    }
    assert.ok((await countVisible(page, '.cell-text')) > 0, 'with their numbers');
    assert.equal(await countVisible(page, '#train .chart'), 0, 'charts without lines are left out');
    assert.equal(
      await page.$eval('#train .rail-pinned', (bar) => getComputedStyle(bar).position),
      'static',
    );
    await fitsAcross(page);
  },
};

let english, terms;

test('the whole page in English', async (t) => {
  const page = await openLanguage(t, 'en');
  const acts = await actsOf(page);
  english = new Set(await englishOf(page));
  assert.ok(english.size > 60, `${english.size}`);
  terms = new Set(await termsOf(page));
  for (const [name, check] of Object.entries(checks)) {
    await t.test(name, () => check(page, acts));
  }
  // For the next test that uses this tab.
  await page.emulateMediaType('screen');
});

for (const language of ['zh', 'ko', 'id']) {
  test(`the whole page in ${language}: layout, and no text left in English`, async (t) => {
    const page = await openLanguage(t, language);
    assert.deepEqual(
      (await englishOf(page)).filter((text) => english.has(text)),
      [],
    );
    // Each term has a definition in English.
    assert.deepEqual(
      (await termsOf(page)).filter((term) => !terms.has(term)),
      [],
    );
    if (language === 'zh') {
      const spaced = await page.evaluate(() =>
        [...document.querySelectorAll('p, li, td, figcaption')]
          .filter((each) => each.checkVisibility())
          .map((each) => each.innerText)
          .filter((text) => /[。：；，！？）] +[\u4e00-\u9fff]/u.test(text)),
      );
      assert.deepEqual(spaced, [], 'no space follows a Chinese mark');
    }
    await checkLayout(page, await actsOf(page));
  });
}

test('nothing overflows with 20 heads, or with letters twice as large', async (t) => {
  const view = '?keys-question=patterns&input=patterns&heads=20&answer=2&valid=2#equal-keys';
  const { page } = await open(t, view);
  for (const width of [320, 1280]) {
    await resize(page, [width, 800]);
    await fitsAcross(page, `${width} pixels`);
    assert.deepEqual(await cutOf(page), [], `${width} pixels`);
  }
  await resize(page, [720, 900]);
  const session = await page.createCDPSession();
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
  await page.waitForFunction(
    () => parseFloat(getComputedStyle(document.documentElement).fontSize) >= 32,
  );
  await fitsAcross(page, 'large letters');
});

test('forced colours tell what is chosen and what stands on the scale', async (t) => {
  const { page } = await open(t, '#equal-keys', { media: { forcedColors: 'active' } });
  const look = async (selector) => readPixels(page, await page.$(selector));
  const chosen = await look('#equal-keys .segment:has(:checked)');
  const other = await look('#equal-keys .segment:has(> input:not(:checked))');
  assert.notEqual(chosen.ground, other.ground);
  assert.ok(chosen.contrast >= 4.5);
  const { contrast } = await look('#equal-keys .close-up .map .cell:not([data-masked])');
  assert.ok(contrast >= 3, `${contrast}`);
});
