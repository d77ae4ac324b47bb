// The index of questions in Chromium: answers, what is computed for them, and the views that they link to.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ofColours, violations } from '../../lib/axe.mjs';
import { readCells } from '../../lib/page-reader.mjs';
import { fitsAcross, open, prefer, searchOf, waitForSearch } from '../../lib/pages.mjs';

const loaded = '#questions .live:not([data-awaited])';
const openQuestions = async (t, query = '', options = {}) => {
  const opened = await open(t, `${query}#questions`, options);
  await opened.page.waitForSelector(loaded);
  return opened;
};
const textOf = (page, selector) => page.$eval(selector, (found) => found.textContent);
const entry = (name) => `#questions [data-question="${name}"]`;
const opened = (page) =>
  page.$$eval('#questions details[open]', (all) => all.map(({ dataset }) => dataset.question));
const questionsOf = (page) =>
  page.$$eval('#questions details', (all) => all.map(({ dataset }) => dataset.question));
const shows = (page, selector, pattern) =>
  page.waitForFunction(
    (where, source) => new RegExp(source).test(document.querySelector(where)?.textContent ?? ''),
    {},
    selector,
    pattern.source,
  );
const figureStep = (number) => (page) =>
  shows(page, '#figure h3', new RegExp(`^Step ${number} of 9: `));
const mapsOf = (page) => page.$$eval('#heads .samples .map', (maps) => maps.length);
const checked = (page, act, value) =>
  page.waitForSelector(`#${act} input[type="radio"][value="${value}"]:checked`);

/** Of the query that the act shows, over all keys. */
const largestWeight = async (page) => {
  // Drawn once their size is known.
  await page.waitForSelector('#why .why-key[data-weight]');
  return page.$$eval('#why .why-key', (all) =>
    Math.max(...all.map(({ dataset }) => dataset.weight)),
  );
};

/** Each link, by its question: the address that it leads to, and what is to be seen there. */
const links = {
  'h-projections': [['?figure-step=2#figure', figureStep(2)]],
  'input-slice': [
    [
      '?part=W_q#heads',
      (page) => shows(page, '#heads .layer', /The rows of W_q that project queries for head 1/),
    ],
  ],
  'giant-head': [
    [
      '?input=patterns&heads=1#heads',
      async (page) => assert.equal(await mapsOf(page), 2, 'a map for each sample'),
    ],
    ['?input=patterns#heads', async (page) => assert.equal(await mapsOf(page), 10)],
  ],
  'two-transposes': [
    ['?figure-step=2#figure', figureStep(2)],
    ['?figure-step=8#figure', figureStep(8)],
  ],
  'output-projection': [['?figure-step=9#figure', figureStep(9)]],
  'same-input': [
    ['#figure', figureStep(1)],
    ['#align', (page) => shows(page, '#align .run-status', /^Step 0 /)],
  ],
  'query-size': [
    [
      `?input=own&part=W_k&numbers=${encodeURIComponent('{"queries":[[1,0],[0,1]],"keys":[[1,0,0],[0,1,0],[0,0,1]]}')}#heads`,
      async (page) => {
        await shows(page, '#heads .layer', /\(1, 2, 2\)/);
        await shows(page, '#heads .layer', /\(1, 3, 3\)/);
        await shows(page, '#heads .layer', /The rows of W_k that project keys for head 1/);
      },
    ],
  ],
  'why-sqrt-d': [
    ['?figure-step=4#figure', figureStep(4)],
    [
      '#why',
      async (page) => {
        await shows(page, '#why .why-divisor-value', /^1$/);
        assert.ok((await largestWeight(page)) > 0.95);
      },
    ],
    [
      '?why-divisor=8#why',
      async (page) => {
        await shows(page, '#why .why-divisor-value', /^8$/);
        assert.ok((await largestWeight(page)) < 0.5);
      },
    ],
  ],
  'masked-queries': [
    [
      '?input=text&sample=2#heads',
      async (page) => {
        // Three of five tokens: queries 4 and 5 are padding.
        const rows = (await readCells(page, 'heads')).filter(
          ({ sample, head, query }) => sample === 1 && head === 0 && query === 4,
        );
        assert.equal(rows.length, 5);
        assert.deepEqual(
          rows.map(({ masked }) => masked),
          [false, false, false, true, true],
        );
        const total = rows.reduce((sum, { weight }) => sum + weight, 0);
        assert.ok(Math.abs(total - 1) < 1e-6, `${total}`);
        await shows(page, '#heads .close-up .head-title', /sample 2/);
      },
    ],
  ],
  'why-heads-differ': [
    [
      '#heads',
      async (page) => {
        const weights = (await readCells(page, 'heads')).map(({ weight }) => weight);
        assert.ok(new Set(weights).size > 50);
      },
    ],
    [
      '?input=ones#heads',
      async (page) => {
        const weights = (await readCells(page, 'heads')).map(({ weight }) => weight);
        assert.equal(new Set(weights).size, 3, '1/3, 1/2 and 0');
      },
    ],
  ],
  ensemble: [
    [
      '#train',
      async (page) => {
        await checked(page, 'train', '2');
        await shows(page, '#train .run-status', /^Step 0:/);
      },
    ],
  ],
  'weight-importance': [
    [
      '?figure-step=7&figure-head=2&figure-mask=none#figure',
      async (page) => {
        await figureStep(7)(page);
        await page.waitForSelector('#figure .steps-figure [data-depth="0"][data-head="1"]');
      },
    ],
  ],
  'untrained-gate': [
    [
      '?gates=0,1,1,1,1#heads',
      (page) => shows(page, '#heads .gates-moved', /^The output changes by [1-9]/),
    ],
    [
      '?words-shut=2.2#words',
      (page) => shows(page, '#words .candidate[data-leads] .candidate-token', /^a$/),
    ],
  ],
  'softmax-over-outputs': [
    [
      '?input=patterns&gates=1,1,0.5,1,1#heads',
      async (page) => {
        const gates = await page.$$eval('#heads .gates .slider', (all) =>
          all.map(({ value }) => Number(value)),
        );
        assert.deepEqual(gates, [1, 1, 0.5, 1, 1]);
      },
    ],
  ],
  'more-heads': [
    ['?heads=20#heads', async (page) => assert.equal(await mapsOf(page), 40)],
    ['#prune', (page) => page.waitForSelector('#prune .act-stage')],
  ],
};

test('every question has an answer of at most three sentences, and links', async (t) => {
  const { page } = await openQuestions(t);
  const questions = await questionsOf(page);
  assert.deepEqual(questions.toSorted(), Object.keys(links).sort());
  for (const name of questions) {
    await page.$eval(`${entry(name)} summary`, (summary) => summary.click());
    await page.waitForSelector(`${entry(name)}[open] .question-answer`);
    const answer = await textOf(page, `${entry(name)} .question-answer > p`);
    const sentences = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(answer)]
      // Of an abbreviation before a year, no sentence ends.
      .filter(({ segment }) => !/et al\. $/.test(segment));
    assert.ok(sentences.length <= 3, `${name}: ${sentences.length} sentences`);
    assert.ok(sentences.length >= 2, name);
    assert.equal((await page.$$(`${entry(name)} a`)).length, links[name].length, name);
  }
});

describe('an answer', () => {
  test('is opened by pointer, keyboard and address, one at a time, with the way back', async (t) => {
    const { page } = await openQuestions(t, '?question=why-sqrt-d');
    assert.deepEqual(await opened(page), ['why-sqrt-d']);
    await (await page.$(`${entry('giant-head')} summary`)).click();
    await waitForSearch(page, '?question=giant-head');
    assert.deepEqual(await opened(page), ['giant-head']);
    await page.focus(`${entry('ensemble')} summary`);
    await page.keyboard.press('Enter');
    await waitForSearch(page, '?question=ensemble');
    await page.keyboard.press('Enter');
    await waitForSearch(page, '');
    assert.deepEqual(await opened(page), []);
    await page.goBack();
    await waitForSearch(page, '?question=ensemble');
    assert.deepEqual(await opened(page), ['ensemble']);
  });

  test('is corrected where the address asks for none that there is', async (t) => {
    const { page } = await openQuestions(t, '?question=why');
    assert.match(await textOf(page, '#questions .notices'), /^Invalid question “why”/);
    assert.deepEqual(await opened(page), []);
  });

  test('that the address names is brought into view on a phone', async (t) => {
    const { page } = await openQuestions(t, '?question=more-heads', { width: 390 });
    await page.waitForFunction(
      (selector) => {
        const { top } = document.querySelector(selector).getBoundingClientRect();
        return top >= 0 && top < innerHeight / 2;
      },
      {},
      entry('more-heads'),
    );
  });

  test('is read on paper, also if it has not been opened', async (t) => {
    const { page } = await openQuestions(t);
    await page.emulateMediaType('print');
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const unread = await page.$$eval('#questions details', (all) =>
      all
        .filter((each) => !(each.querySelector('.question-answer')?.offsetHeight > 0))
        .map(({ dataset }) => dataset.question),
    );
    await page.emulateMediaType('screen');
    assert.deepEqual(unread, []);
  });
});

describe('a link shows what it names:', () => {
  for (const [name, views] of Object.entries(links)) {
    for (const [at, [address, check]] of views.entries()) {
      test(`${name}, ${address}`, async (t) => {
        // What the reader has changed in the acts before, and what holds for the whole page.
        const kept = 'hide=reset&lang=en';
        const before = `?${kept}&question=${name}&causal=1&figure-seed=5&words-query=3&train-seed=9&why-head=2`;
        const { page, url } = await openQuestions(t, before);
        await page.evaluate(() => (window.isSame = true));
        const link = (await page.$$(`${entry(name)} a`))[at];
        await link.evaluate((anchor) => anchor.dispatchEvent(new PointerEvent('pointerenter')));
        const href = await link.evaluate((anchor) => anchor.href);
        await link.click();
        const [query, act] = address.split('#');
        await page.waitForFunction((wanted) => window.location.hash === wanted, {}, `#${act}`);
        assert.equal(await page.evaluate(() => window.isSame), true, 'without a reload');
        assert.equal(await page.evaluate(() => window.location.href), href);

        const expected = new URLSearchParams(before);
        const own = {
          figure: 'figure-seed',
          heads: 'causal',
          words: 'words-query',
          train: 'train-seed',
          why: 'why-head',
        };
        expected.delete(own[act]);
        for (const [key, value] of new URLSearchParams(query)) expected.set(key, value);
        const found = new URLSearchParams(await searchOf(page));
        assert.deepEqual(
          Object.fromEntries(found.entries()),
          Object.fromEntries(expected.entries()),
        );
        assert.ok(href.startsWith(url));

        await page.waitForSelector(`#${act} .live:not([data-awaited])`);
        await check(page);
        assert.equal(await textOf(page, `#${act} .notices`), '');
        await page.waitForFunction(
          (id) => {
            const { top } = document.querySelector(`#${id} h2`).getBoundingClientRect();
            return top >= 0 && top < 250;
          },
          {},
          act,
        );
        assert.equal(await page.evaluate(() => document.activeElement.id), act);

        await page.goBack();
        await page.waitForFunction(() => window.location.hash === '#questions');
        assert.deepEqual(await opened(page), [name]);
        const back = new URLSearchParams(await searchOf(page));
        assert.equal(back.get('causal'), '1');
      });
    }
  }

  test('in a new tab as well', async (t) => {
    const { page } = await openQuestions(t, '?question=why-sqrt-d&figure-heads=4');
    const href = await page.$eval(`${entry('why-sqrt-d')} a`, (anchor) => anchor.href);
    const other = await open(t, new URL(href).search + new URL(href).hash);
    await other.page.waitForSelector('#figure .steps-figure');
    await figureStep(4)(other.page);
  });

  test('and none leads to an act that the address hides', async (t) => {
    const { page } = await openQuestions(t, '?question=why-sqrt-d&hide=figure');
    const seen = await page.$$eval(`${entry('why-sqrt-d')} a`, (all) =>
      all.filter((link) => link.checkVisibility()).map(({ hash }) => hash),
    );
    assert.deepEqual(seen, ['#why', '#why']);
  });
});

describe('what is computed for an answer', () => {
  const numbersIn = (page, name) =>
    page.$$eval(`${entry(name)} tbody td`, (cells) => cells.map((cell) => cell.textContent.trim()));

  test('h small layers give the queries of the one', async (t) => {
    const { page } = await openQuestions(t, '?question=h-projections');
    const told = await textOf(page, `${entry('h-projections')} .question-evidence`);
    const [, value] = /differ by (\S+) at most\.\s*$/.exec(told);
    assert.ok(Number(value.replace('−', '-')) < 1e-6, told);
  });

  test('a slice leaves a fifth of the parameters, and one head as many', async (t) => {
    const { page } = await openQuestions(t, '?question=input-slice');
    const inputs = 100;
    const linear = 3 * inputs * 100;
    assert.deepEqual(await numbersIn(page, 'input-slice'), [`${linear}`, `${linear / 5}`, '0']);
    await (await page.$(`${entry('giant-head')} summary`)).click();
    await page.waitForSelector(`${entry('giant-head')} tbody td`);
    const all = `${4 * inputs * 100}`;
    assert.deepEqual(await numbersIn(page, 'giant-head'), [all, '5 × 6', all, '1 × 6']);
  });

  test('weight, ‖v W_o‖ and their product are those of the figure, in float64', async (t) => {
    const { page } = await openQuestions(t, '?question=weight-importance');
    const told = await page.$$eval(`${entry('weight-importance')} tbody tr`, (rows) =>
      rows.map((row) =>
        Object.fromEntries(
          [...row.querySelectorAll('[data-value]')].map(({ dataset }) => [
            dataset.column,
            Number(dataset.value),
          ]),
        ),
      ),
    );
    await (await page.$(`${entry('weight-importance')} a`)).click();
    await page.waitForSelector('#figure .steps-figure [data-depth="0"][data-head="1"]');
    const partOf = (part) =>
      page.$$eval(`#figure .steps-figure [data-part="${part}"] [data-value]`, (cells) => {
        const rows = [];
        for (const { dataset } of cells) {
          (rows[Number(dataset.row)] ??= [])[Number(dataset.column)] = Number(dataset.value);
        }
        return rows;
      });
    const [X, W_q, W_k, W_v, W_o] = await Promise.all(
      ['X', 'W_q', 'W_k', 'W_v', 'W_o'].map(partOf),
    );
    const [size, head] = [4, 1];
    const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
    const project = (row, weight) =>
      weight.slice(head * size, (head + 1) * size).map((each) => dot(row, each));
    const q = project(X[0], W_q);
    const exponents = X.map((row) => Math.exp(dot(q, project(row, W_k)) / Math.sqrt(size)));
    const total = exponents.reduce((sum, value) => sum + value, 0);
    assert.equal(told.length, X.length);
    told.forEach(({ weight, norm, product }, key) => {
      const v = project(X[key], W_v);
      const columns = W_o.map((row) => row.slice(head * size, (head + 1) * size));
      const expectedNorm = Math.hypot(...columns.map((row) => dot(v, row)));
      const expectedWeight = exponents[key] / total;
      assert.ok(Math.abs(weight - expectedWeight) < 1e-5, `weight of key ${key + 1}: ${weight}`);
      assert.ok(Math.abs(norm - expectedNorm) < 1e-5, `norm of key ${key + 1}: ${norm}`);
      assert.ok(Math.abs(product - expectedWeight * expectedNorm) < 1e-5, `key ${key + 1}`);
    });
    // What the caption says.
    const largest = (column) => {
      const all = told.map((row) => row[column]);
      return all.indexOf(Math.max(...all));
    };
    assert.notEqual(largest('weight'), largest('product'));
    const bars = await page.$$eval(`${entry('weight-importance')} rect`, (all) =>
      all.map((bar) => Number(bar.getAttribute('width'))),
    );
    const shares = (column) => told.map((row) => row[column] / told[largest(column)][column]);
    bars.forEach((width, at) => {
      const expected = shares(at % 2 === 0 ? 'weight' : 'product')[Math.floor(at / 2)];
      assert.ok(Math.abs(width - expected) < 1e-9, `bar ${at + 1}`);
    });
  });
});

describe('in every dress', () => {
  for (const scheme of ['light', 'dark']) {
    test(`axe-core finds no violation in any answer, ${scheme}`, async (t) => {
      const { page } = await openQuestions(t, '', { media: { scheme } });
      for (const name of await questionsOf(page)) {
        await page.$eval(`${entry(name)} summary`, (summary) => summary.click());
        await page.waitForSelector(`${entry(name)}[open] .question-answer`);
        assert.deepEqual(await violations(page, { scope: '#questions' }), [], name);
      }
      await prefer(page, { scheme: scheme === 'light' ? 'dark' : 'light' });
      assert.deepEqual(await violations(page, { scope: '#questions', ...ofColours }), []);
    });
  }

  test('every answer fits a phone', async (t) => {
    const { page } = await openQuestions(t, '', { width: 360 });
    for (const name of await questionsOf(page)) {
      await page.$eval(`${entry(name)} summary`, (summary) => summary.click());
      await page.waitForSelector(`${entry(name)}[open] .question-answer`);
      await fitsAcross(page, name);
      const cut = await page.$$eval(
        `${entry(name)} .question-evidence`,
        (all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
      );
      assert.equal(cut, 0, `${name}: the table is cut`);
    }
  });
});
