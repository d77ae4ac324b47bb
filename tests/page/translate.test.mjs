// What the act on cross-attention trains: dates, where their characters come from, and what a run comes to.
import assert from 'node:assert/strict';
import { describe, test, vi } from 'vitest';
import { findingOf, learntAt, meanAlignment, readingOf } from '../../web/src/acts/translate/run.ts';
import { AlignRun, dataOf, shownOf } from '../../web/src/acts/translate/run.ts';

import { DateModel } from '../../web/src/worker/alignment.ts';
import * as dates from '../../web/src/worker/dates.ts';
import { AlignmentService } from '../../web/src/worker/services.ts';
import { near, range, sum } from './lib/float64.mjs';

describe('a date', () => {
  test('has an answer, and each character of it the characters that it comes from', () => {
    const [year, month] = [
      [[9], [10], [11], [12]],
      [0, 1, 2, 3, 4],
    ];
    assert.deepEqual(dates.questionOf('March 5, 2021'), {
      text: 'March 5, 2021',
      answer: '2021-03-05',
      parts: [
        ...['month', 'month', 'month', 'month', 'month', undefined, 'day', undefined, undefined],
        ...['year', 'year', 'year', 'year'],
      ],
      sources: [...year, [], month, month, [], [6], [6]],
    });
    const { answer, sources } = dates.questionOf('14 jul 1789');
    assert.equal(answer, '1789-07-14');
    assert.deepEqual(sources.slice(5), [[3, 4, 5], [3, 4, 5], [], [0], [1]]);
  });

  test('is one of the four forms and of the calendar', () => {
    for (const text of ['29 Feb 2000', '29 Feb 2024', 'May 1, 1000', 'September 30, 2999']) {
      assert.ok(dates.questionOf(text), text);
    }
    for (const text of [
      ...['29 Feb 1900', 'March 0, 2021', 'March 05, 2021', 'March 32, 2021', 'Mar 5 2021'],
      ...['Marc 5, 2021', '5 March 3000', '5 March 999', '2021-03-05', ' 5 March 2021', ''],
    ]) {
      assert.equal(dates.questionOf(text), undefined, text);
    }
  });

  test('is cut to what the model can read', () => {
    assert.equal(dates.readable('Ärch 5,\n2021 & more and more'), 'rch 5,2021  more a');
    assert.deepEqual(dates.tokensOf('MAY'), dates.tokensOf('may'));
    assert.equal(dates.tokensOf('5 may, 2021-').map(dates.characterOf).join(''), '5 may, 2021-');
    assert.equal(dates.characterOf(dates.startToken), '?');
  });

  test('is drawn the same for a seed, and never both to train and to measure', () => {
    const draw = (seed, heldOut) => {
      const task = new dates.DateTask(seed, heldOut);
      return range(500).map(() => task.draw());
    };
    assert.deepEqual(draw(7, false), draw(7, false));
    assert.notDeepEqual(draw(7, false), draw(8, false));
    const trained = new Set(draw(7, false).map(({ answer }) => answer));
    const held = draw(7, true);
    const forms = new Set();
    for (const { text, answer, sources } of held) {
      assert.ok(!trained.has(answer));
      assert.ok(text.length >= 10 && text.length <= dates.maxDateLength, text);
      assert.match(answer, /^[12]\d{3}-[01]\d-[0-3]\d$/);
      // Digits of the year are copied, one each.
      const copied = sources.slice(0, 4).map(([key]) => text[key]);
      assert.equal(copied.join(''), answer.slice(0, 4));
      forms.add(`${/^\d/.test(text)}, ${/[A-Za-z]+/.exec(text)}`);
    }
    assert.ok(forms.size > 40, 'months whole and short, first and second');
  });
});

describe('the model', () => {
  const newModel = (options, text = '5 May 2021') =>
    new DateModel({ variant: 'standard', heads: 2, seed: 1, ...options }, text);

  test('is the same for a seed, in however many pieces it learns', () => {
    const [whole, pieces] = [newModel({ seed: 3 }), newModel({ seed: 3 })];
    assert.deepEqual(whole.start(), pieces.start());
    const all = whole.advance(40, Infinity);
    const parts = [7, 13, 20].map((steps) => pieces.advance(steps, Infinity));
    assert.deepEqual(
      parts.flatMap(({ losses }) => [...losses]),
      [...all.losses],
    );
    assert.deepEqual(parts.at(-1).reading, all.reading);
    assert.deepEqual(
      parts.flatMap(({ measurements }) => measurements),
      all.measurements,
    );
    assert.deepEqual(
      all.measurements.map(({ step }) => step),
      [20, 40],
    );
    assert.ok(all.losses[39] < all.losses[0] - 0.5);
    const { losses } = newModel({ seed: 4 }).advance(1, Infinity);
    assert.notDeepEqual(losses, all.losses.slice(0, 1));
  });

  test('gives every query weights that sum to 1, none of them on what is beyond the text', () => {
    const model = newModel({ heads: 4 });
    for (const text of ['5 May 2021', 'September 30, 2999', 'x']) {
      const { weights, answer } = model.read(text);
      assert.equal(answer.length, 10);
      assert.equal(weights.length, 4 * 10 * 18);
      for (const row of range(40)) {
        const own = [...weights.subarray(row * 18, (row + 1) * 18)];
        near(sum(own), 1, 1e-5);
        assert.ok(own.slice(text.length).every((weight) => weight === 0));
      }
    }
  });

  test('has an encoder that mixes characters, but in one variant; embeddings are shared in another', () => {
    // The first query is the same whatever the text; keys differ where their characters do.
    const mixes = (variant) => {
      const model = newModel({ variant });
      const [one, other] = ['5 May 2021', '6 May 2021'].map((text) => model.read(text).weights);
      return Math.abs(one[3] / one[4] - other[3] / other[4]) > 1e-6;
    };
    assert.deepEqual(['standard', 'shared', 'alone'].map(mixes), [true, true, false]);
    const [standard, shared, alone] = ['standard', 'shared', 'alone'].map(
      (variant) => Object.keys(newModel({ variant }).model.stateDict()).length,
    );
    assert.ok(shared < standard && standard === alone, `${standard}, ${shared}, ${alone}`);
  });

  test('learns dates that it has not seen, and its heads look where the characters come from', () => {
    const model = newModel({});
    let latest;
    do {
      const { step, measurements } = model.advance(20, Infinity);
      assert.ok(step <= 900, `${latest?.accuracy}`);
      latest = measurements.at(-1);
    } while (latest.accuracy <= 0.95);
    assert.equal(model.read('5 May 2021').answer, '2021-05-05');
    const shares = readingOf(latest, 2).map(({ best }) => best.share);
    assert.ok(
      shares.every((share) => share > 0.6),
      shares.join(),
    );
    assert.ok(
      latest.uniform.every((share) => share > 0.05 && share < 0.4),
      latest.uniform.join(),
    );
  });
});

describe('a run', () => {
  const measurement = (step, accuracy, alignment) => ({
    step,
    accuracy,
    alignment: Float32Array.from(alignment),
    uniform: Float32Array.of(0.2, 0.45, 0.1),
  });

  test('has learnt at 95 %; a head reads a part alone only with a lead of 20 points', () => {
    const measurements = [
      measurement(20, 0.5, [0, 0, 0, 0, 0, 0]),
      measurement(40, 0.95, [0.9, 0.31, 0.49, 0.71, 0.5, 0.2]),
    ];
    const record = { measurements, options: { heads: 2 } };
    const { reading, ...finding } = findingOf(record, false);
    assert.deepEqual(finding, { step: 40, accuracy: 0.95, hasLearnt: true });
    const read = (heads, each) =>
      readingOf(measurement(40, 1, each), heads).map(({ part, best, readers, isSpecialist }) => [
        ...[part, best.head, readers.map(({ head }) => head), isSpecialist],
      ]);
    assert.deepEqual(read(2, [0.9, 0.31, 0.49, 0.71, 0.5, 0.2]), [
      ['year', 0, [0, 1], false],
      ['month', 1, [1], false],
      ['day', 0, [], false],
    ]);
    assert.deepEqual(
      read(2, [0.9, 0.3, 0.5, 0.69, 0.51, 0.31]).map(([, , , alone]) => alone),
      [true, true, false],
    );
    // A single head is compared with uniform weights.
    assert.deepEqual(
      read(1, [0.5, 0.6, 0.4]).map(([, , , alone]) => alone),
      [true, false, false],
    );
    assert.deepEqual(reading[0].best, { head: 0, share: Math.fround(0.9) });
    assert.equal(learntAt(record), 40);
    near(
      [0, 1].map((head) => meanAlignment(measurements[1], head)),
      [1.7 / 3, 1.41 / 3],
      1e-6,
    );
    const early = { ...record, measurements: measurements.slice(0, 1) };
    assert.equal(findingOf(early, false), undefined);
    assert.equal(findingOf(early, true).hasLearnt, false);
    assert.equal(learntAt(early), undefined);
    assert.equal(findingOf({ ...record, measurements: [] }, true), undefined);
  });

  test('is driven step by step, and reads what it is shown', async () => {
    vi.stubGlobal('requestAnimationFrame', setImmediate);
    const alignment = new AlignmentService();
    const connection = { call: async (act) => act({ alignment }) };
    const run = new AlignRun(connection, 'x', { onChange: () => {}, onFailure: assert.fail });
    run.show('5 May 2021');
    await run.begin({ variant: 'standard', heads: 2, seed: 1 });
    await run.step();
    const { record } = run;
    const { text, answer, weights } = record.reading;
    assert.deepEqual([record.step, record.losses.length, text], [1, 1, '5 May 2021']);
    assert.deepEqual(dataOf(record).reading.weights, { shape: [2, 10, 18], data: weights });

    const shown = shownOf(record);
    assert.deepEqual([shown.answer, shown.question.answer, shown.heads], [answer, '2021-05-05', 2]);
    for (const [head, query] of [
      [0, 0],
      [1, 9],
    ]) {
      const row = weights.subarray((head * 10 + query) * 18, (head * 10 + query + 1) * 18);
      near(
        range(18).map((key) => shown.weightOf(head, query, key)),
        [...row],
        0,
      );
      const key = row.indexOf(Math.max(...row));
      const character = text[key] === ' ' ? 'space' : `“${text[key]}”`;
      const told = `head ${head + 1} gives ${character} (${key + 1}) ${Math.round(100 * row[key])}\u00a0%`;
      assert.ok(shown.sentenceOf(query).includes(told), shown.sentenceOf(query));
    }
    const wrong = range(10).filter((query) => answer[query] !== '2021-05-05'[query]);
    for (const query of range(10)) {
      const isTold = shown.sentenceOf(query).endsWith(`“${'2021-05-05'[query]}”.`);
      assert.equal(isTold, wrong.includes(query), shown.sentenceOf(query));
    }
    run.show('not a date');
    await vi.waitUntil(() => record.reading.text === 'not a date');
    assert.equal(shownOf(record).question, undefined);
    vi.unstubAllGlobals();
  });
});
