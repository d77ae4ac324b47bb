// One look at the whole page in each language: nothing overflows, nothing is cut, nothing is left in English.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ofColours, violations } from '../lib/axe.mjs';
import { actsOf, fitsAcross, loadAllActs, open, prefer } from '../lib/pages.mjs';
import { twoFrames, until } from '../lib/until.mjs';

/** The screens that leave a stage the least height and the least width, and a large one. */
const screens = [
  [1366, 768],
  [1280, 800],
  [1920, 1080],
];
const narrow = [
  [768, 1024],
  [360, 800],
  [320, 800],
];

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

/** The links to the acts stand in one line, the one to the index above it; each can be read and tapped. */
async function checkNavigation(page, width) {
  const links = await page.$$eval('.navigation a', (all) =>
    all.map((link) => {
      const { top, left, right, width: wide, height } = link.getBoundingClientRect();
      return { top, left, right, wide, height, size: parseFloat(getComputedStyle(link).fontSize) };
    }),
  );
  for (const [at, { top, left, right, wide, height, size }] of links.entries()) {
    if (at < links.length - 1) assert.equal(top, links[0].top);
    else assert.ok(top < links[0].top);
    assert.ok(left >= 0 && right <= width, `from ${left} to ${right}`);
    assert.ok(wide >= 24 && height >= 24, `${wide} × ${height}`);
    assert.ok(size >= 12, `letters of ${size} pixels`);
  }
}

async function checkLayout(page, acts) {
  for (const size of [...narrow, ...screens]) {
    const name = size.join(' × ');
    await resize(page, size);
    await fitsAcross(page, name);
    assert.deepEqual(await cutOf(page), [], name);
    if (size[0] < 400) await checkNavigation(page, size[0]);
    if (!screens.includes(size)) continue;
    const stages = await stagesOf(page);
    // The last act is an index without a stage.
    assert.deepEqual([...new Set(stages.map(({ act }) => act))], acts.slice(0, -1));
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

const termsOf = (page) => page.$$eval('.term', (all) => all.map(({ dataset }) => dataset.term));

let english, terms;

async function openLanguage(t, language) {
  const { page } = await open(t, `?lang=${language}`);
  assert.equal(await page.$eval('html', ({ lang }) => lang), language);
  await loadAllActs(page);
  await page.waitForSelector('#why [data-done]');
  return page;
}

describe('the whole page', () => {
  test('in English: layout, headings, beginnings of acts, terms, axe-core', async (t) => {
    const page = await openLanguage(t, 'en');
    const acts = await actsOf(page);
    english = new Set(await englishOf(page));
    assert.ok(english.size > 60, `${english.size}`);
    terms = new Set(await termsOf(page));

    const levels = await page.$$eval('h1, h2, h3, h4, h5, h6', (headings) =>
      headings.map(({ localName }) => Number(localName[1])),
    );
    assert.equal(levels.filter((level) => level === 1).length, 1);
    assert.equal(levels.filter((level) => level === 2).length, acts.length);
    levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, levels.join()));
    for (const act of acts.slice(0, -1)) {
      const parts = '.act-lead, .act-stage, .prose, .goal';
      const begins = await page.$$eval(`#${act} :is(${parts})`, (all) =>
        all.slice(0, 3).map(({ className }) => className),
      );
      assert.deepEqual(begins, ['act-lead', 'act-stage', 'goal'], act);
    }

    assert.deepEqual(await violations(page), []);
    await prefer(page, { scheme: 'dark' });
    assert.deepEqual(await violations(page, { rules: ofColours }), []);
    await page.evaluate(() =>
      document.querySelector('main').append(document.createElement('button')),
    );
    assert.match((await violations(page, { rules: ['button-name'] })).join(), /^button-name: /);
    await checkLayout(page, acts);
  });

  for (const language of ['zh', 'ko', 'id']) {
    test(`in ${language}: layout, and no text left in English`, async (t) => {
      const page = await openLanguage(t, language);
      assert.deepEqual(
        (await englishOf(page)).filter((text) => english.has(text)),
        [],
      );
      // Each term opens a definition that there is in English.
      assert.deepEqual(
        (await termsOf(page)).filter((term) => !terms.has(term)),
        [],
      );
      if (language === 'zh') {
        const spaced = await page.$$eval('p, li, td, figcaption', (all) =>
          all
            .filter((each) => each.checkVisibility())
            .map((each) => each.innerText)
            .filter((text) => /[。：；，！？）] +[\u4e00-\u9fff]/u.test(text)),
        );
        assert.deepEqual(spaced, [], 'no space follows a Chinese mark');
      }
      await checkLayout(page, await actsOf(page));
    });
  }

  test('with 20 heads, or letters twice as large, nothing overflows', async (t) => {
    const { page } = await open(t, '?input=random&seed=1&heads=20&valid=6,2#heads');
    for (const size of [...narrow, ...screens]) {
      await resize(page, size);
      await fitsAcross(page, size.join(' × '));
      assert.deepEqual(await cutOf(page), [], size.join(' × '));
    }
    await loadAllActs(page);
    await resize(page, [720, 900]);
    const session = await page.createCDPSession();
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    await page.waitForFunction(
      () => parseFloat(getComputedStyle(document.documentElement).fontSize) >= 32,
    );
    await fitsAcross(page, 'large letters');
  });
});

test('on a phone each act’s goal, main controls and status stay in view on a quarter of the screen', async (t) => {
  const { page } = await open(t, '', { width: 390 });
  const size = { width: 390, height: 844 };
  await page.setViewport(size);
  await loadAllActs(page);
  const acts = (await actsOf(page)).slice(0, -1);
  const views = [
    ...acts.map((act) => [act, '']),
    ...[1, 2, 3, 4, 5].map((answer) => ['heads', `?input=patterns&answer=${answer}`]),
  ];
  for (const [act, query] of views) {
    // As if the reader went back to this address.
    await page.evaluate((search) => {
      window.history.replaceState(null, '', `${window.location.pathname}${search}`);
      window.dispatchEvent(new PopStateEvent('popstate'));
    }, query);
    const bar = `#${act} :is(.rail-pinned, .candidates)`;
    await page.waitForSelector(bar, { visible: true });
    let height;
    await until(async () => {
      const found = await page.$eval(bar, (element) => {
        element.closest('section').scrollIntoView();
        scrollBy({ top: element.getBoundingClientRect().top, behavior: 'instant' });
        scrollBy({ top: 40, behavior: 'instant' });
        const box = element.getBoundingClientRect();
        const onTop = document.elementFromPoint(innerWidth / 2, box.top + box.height / 2);
        return { top: box.top, height: box.height, isOnTop: element.contains(onTop) };
      });
      ({ height } = found);
      return found.top === 0 && found.isOnTop;
    }, `the bar of ${act}${query} does not stay in view`);
    assert.ok(height <= size.height / 4, `${act}${query} has a bar of ${height}`);
  }
});

for (const width of [1440, 390]) {
  for (const [act, address, name, part] of [
    ['why', '?why-d=16&why-divisor=8#why', '√d = 4', '.rail-main'],
    ['words', '#words', 'Gate of layer 2, head 2', '.words-controls'],
  ]) {
    test(`controls of act ${act} stay in place when its goal is reached, at ${width} pixels`, async (t) => {
      const { page } = await open(t, address, { width });
      const control = await page.waitForSelector(`#${act} ::-p-aria([name="${name}"])`, {
        visible: true,
      });
      await control.evaluate((found) => found.scrollIntoView({ block: 'center' }));
      await page.evaluate(twoFrames);
      /** Of the controls that are in the window now, how far they are from its top from then on. */
      const seen = await page.evaluateHandle(
        (pressed, beside) =>
          [pressed, ...document.querySelectorAll(beside)].filter((each) => {
            const { top } = each.getBoundingClientRect();
            return each.checkVisibility() && top >= 0 && top < window.innerHeight;
          }),
        control,
        `#${act} ${part} :is(button, input, textarea)`,
      );
      const places = () =>
        seen.evaluate((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
      const before = await places();
      assert.ok(before.length > 0);
      const progress = () =>
        page.$$eval(`#${act} .goal-progress`, (all) => all.map((each) => each.textContent).join());
      const progressBefore = await progress();
      await control.click();
      await until(async () => (await progress()) !== progressBefore, 'no progress');
      await page.evaluate(twoFrames);
      assert.deepEqual(await places(), before);
    });
  }
}
