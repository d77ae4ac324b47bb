// How numbers and sentences are written.
import assert from 'node:assert/strict';
import { test } from 'vitest';
import * as numbers from '../../web/src/format/numbers.ts';
import * as sentences from '../../web/src/format/sentences.ts';
import { translatable, translate } from '../../web/src/format/translation.ts';
import { jsonFile } from '../../web/src/ui/export/save-menu.ts';

const family = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}';

const written = {
  formatWeight: [
    [1 / 3, '0.3333'],
    [0, '0.0000'],
  ],
  formatShort: [[0.005001, '0.01']],
  formatTight: [
    [0.5, '.50'],
    [-0.37, '−.37'],
    [10.25, '10.25'],
  ],
  formatCell: [
    [0.333, '.33'],
    [0.996, '1'],
    [0, '.00'],
  ],
  formatShape: [[[2, 4, 100], '(2, 4, 100)']],
  formatSigned: [
    [0.5, '+0.50'],
    [-1.234, '−1.23'],
  ],
  formatNumber: [
    [-Infinity, '−∞'],
    [3, '3'],
    [-2.5, '−2.5000'],
    [0.0001234, '1.23e-4'],
    [100_000, '1e+5'],
    [0.001, '0.0010'],
  ],
  formatSetting: [
    [0.35, '0.35'],
    [2, '2'],
  ],
  formatShare: [
    [0.1234, '12.3\u00a0%'],
    [1, '100\u00a0%'],
  ],
  formatPercent: [[0.995, '100\u00a0%']],
  formatLoss: [
    [0.01234, '0.012'],
    [3.21, '3.2'],
  ],
  formatBytes: [[1_900_000, '1.9\u00a0MB']],
};

for (const [name, cases] of Object.entries(written)) {
  test(`${name} writes numbers as readers expect`, () => {
    for (const [value, expected] of cases) assert.equal(numbers[name](value), expected);
  });
}

test('sentences are put together, and none ends within a character', () => {
  const { choiceOf, count, cutTo, inWords, joinSentences, listOf, quoted } = sentences;
  assert.equal(listOf([1, 2, 3]), '1, 2, and 3');
  assert.equal(choiceOf(['a', 'b', 'c']), 'a, b, or c');
  assert.equal(joinSentences(['One.', '', 'Two.']), 'One. Two.');
  assert.equal(count(1, 'head', 'heads'), '1 head');
  assert.equal(count(0, 'head', 'heads'), '0 heads');
  assert.deepEqual([inWords(2), inWords(9, 'sentence'), inWords(10)], ['two', 'Nine', '10']);
  assert.equal(quoted('x'.repeat(60)), `“${'x'.repeat(60)}”`);
  assert.equal(quoted('x'.repeat(61)), `“${'x'.repeat(60)}…”`);
  assert.equal(cutTo('abc', 3), 'abc');
  assert.equal(cutTo(`ab${family}`, 5), 'ab');
  assert.equal(cutTo(`${'👍'.repeat(3)}`, 3), '👍');
  // No cluster is that long: the cut stays where it was asked for, but for half a surrogate pair.
  assert.equal(cutTo(`a${'\u0301'.repeat(300)}`, 200).length, 200);
  assert.equal(cutTo(`a${'𐐀'.repeat(400)}`, 300), `a${'𐐀'.repeat(149)}`);
  sentences.speak('zh');
  assert.equal(joinSentences(['一。', '二。']), '一。二。');
  sentences.speak('en');
});

test('a translation replaces the words that it has, also of code that is loaded later', () => {
  const early = translatable('early', { name: 'name', nested: { kept: 'kept', told: () => 'a' } });
  translate({ early: { name: 'Name', nested: { told: () => 'b' } }, late: { name: 'spät' } });
  const late = translatable('late', { name: 'late' });
  translate({});
  const { told, ...nested } = early.nested;
  assert.deepEqual(
    [early.name, nested, told(), late.name],
    ['Name', { kept: 'kept' }, 'b', 'spät'],
  );
});

test('numbers that JSON lacks are saved as text', async () => {
  const saved = jsonFile({ scores: [-Infinity, 0.5], data: new Float32Array([1]) });
  assert.deepEqual(JSON.parse(await saved.text()), { scores: ['-Infinity', 0.5], data: [1] });
});
