// What the act on cross-attention trains, in Node: the dates, where their characters come from, and what the model learns of them.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from 'headwise/models';
import { importWorkerModule } from '../../lib/worker-modules.mjs';

let dates;
let alignment;
before(async () => {
  dates = await importWorkerModule('dates.ts');
  alignment = await importWorkerModule('alignment.ts');
  await init({ threads: 1 });
});

describe('a date', () => {
  test('has an answer, and each character of it the characters that it comes from', () => {
    const year = [[9], [10], [11], [12]];
    const month = [0, 1, 2, 3, 4];
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
    for (const text of ['29 Feb 2000', 'May 1, 1000', 'September 30, 2999']) {
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
    const { characterOf, tokensOf } = dates;
    assert.equal(tokensOf('5 may 2021').map(characterOf).join(''), '5 may 2021');
  });

  test('is drawn the same for a seed, and never both to train and to measure', () => {
    const draw = (seed, heldOut) => {
      const task = new dates.DateTask(seed, heldOut);
      return Array.from({ length: 500 }, () => task.draw());
    };
    assert.deepEqual(draw(7, false), draw(7, false));
    assert.notDeepEqual(draw(7, false), draw(8, false));
    const trained = new Set(draw(7, false).map(({ answer }) => answer));
    const held = draw(7, true);
    assert.ok(held.every(({ answer }) => !trained.has(answer)));
    for (const { text, answer, sources } of held) {
      const { length } = text;
      assert.ok(length >= 10 && length <= dates.maxDateLength, text);
      assert.match(answer, /^[12]\d{3}-[01]\d-[0-3]\d$/);
      // Digits of the year are copied, one each.
      assert.equal(
        sources
          .slice(0, 4)
          .map(([key]) => text[key])
          .join(''),
        answer.slice(0, 4),
      );
    }
  });
});

describe('the model', () => {
  const newModel = (options, text = '5 May 2021') =>
    new alignment.DateModel({ variant: 'standard', heads: 2, seed: 1, ...options }, text);
  const run = (options, steps) => {
    const model = newModel(options);
    const { measurements, reading } = model.advance(steps, Infinity);
    model.dispose();
    return { reading, ...measurements.at(-1) };
  };

  test('is the same for a seed, in however many pieces it learns', () => {
    const [whole, pieces] = [newModel({ seed: 3 }), newModel({ seed: 3 })];
    assert.deepEqual(whole.start(), pieces.start());
    const all = whole.advance(40, Infinity);
    const parts = [pieces.advance(7, Infinity), pieces.advance(13, Infinity)];
    parts.push(pieces.advance(20, Infinity));
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
    whole.dispose();
    pieces.dispose();
  });

  test('gives every query weights that sum to 1, none of them on what is beyond the text', () => {
    const model = newModel({ heads: 4 });
    for (const text of ['5 May 2021', 'September 30, 2999', 'x']) {
      const { weights, answer } = model.read(text);
      assert.equal(answer.length, 10);
      assert.equal(weights.length, 4 * 10 * 18);
      for (let row = 0; row < 40; row += 1) {
        const own = [...weights.subarray(row * 18, (row + 1) * 18)];
        assert.ok(Math.abs(own.reduce((sum, weight) => sum + weight) - 1) < 1e-5);
        assert.ok(own.slice(text.length).every((weight) => weight === 0));
      }
    }
    model.dispose();
  });

  test('learns dates that it has not seen, and its heads look where the characters come from', () => {
    const { accuracy, alignment: shares, uniform, reading } = run({}, alignment.lastAlignmentStep);
    assert.ok(accuracy > 0.95, `${accuracy}`);
    assert.equal(reading.answer, '2021-05-05');
    const best = [0, 1, 2].map((part) => Math.max(shares[part], shares[3 + part]));
    assert.ok(
      best.every((share) => share > 0.7),
      best.join(),
    );
    assert.ok(
      uniform.every((share) => share < 0.4),
      uniform.join(),
    );
  });

  test('with shared embeddings may be right although no head looks there', () => {
    const { accuracy, alignment: shares } = run({ variant: 'shared' }, alignment.lastAlignmentStep);
    assert.ok(accuracy > 0.85, `${accuracy}`);
    assert.ok(Math.max(...shares) < 0.3, [...shares].join());
  });

  test('whose encoder reads each character alone learns less', () => {
    const { accuracy } = run({ variant: 'alone' }, 600);
    assert.ok(accuracy < 0.9, `${accuracy}`);
  });
});
