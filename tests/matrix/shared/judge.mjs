// What is expected of the results of suite.js, by trials.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../../scripts/lib/files.mjs';

const named = [
  ...['d2l_toy_ones_valid1d', 'd2l_toy_random_valid2d', 'd2l_sizes_distinct_bias', 'sdpa_gqa_6_2'],
  ...['gqa_mha_6_3', 'additive_mha_valid', 'conv_heads_groups', 'direct_split'],
];

/** Some cases of tests/data/oracle, as JSON takes them: what `suite` is given. */
export function oracleCases() {
  const folder = fromRoot('tests/data/oracle');
  const { cases } = JSON.parse(readFileSync(`${folder}/cases.json`, 'utf8'));
  return named.map((wanted) => {
    const { name, op, attrs, expect, file } = cases.find((each) => each.name === wanted);
    const bytes = readFileSync(`${folder}/${file}`, 'base64');
    return { name, op, attrs, expect, bytes };
  });
}

/** By the table's columns: a function that asserts of the results what the trial is about. */
export const judge = {
  loads({ loads }, expected = {}) {
    assert.match(loads.variant, /^(relaxed-)?simd$/);
    assert.deepEqual({ ...loads, ...expected }, loads);
  },

  oracle({ oracle }) {
    assert.deepEqual(
      [...new Set(oracle.map((each) => each.case))].sort(),
      [...named].sort(),
      'a case without a result',
    );
    assert.ok(oracle.length >= 2 * named.length, 'each has an output and weights');
    for (const { case: name, tensor, difference, atol } of oracle) {
      assert.ok(
        difference !== null && difference <= atol,
        `${name}, ${tensor}: ${difference} from PyTorch's, at most ${atol}`,
      );
    }
  },

  models({ models: { losses, generated } }) {
    assert.ok(losses.at(-1) < 0.1 && losses[0] > 1, `losses: ${losses}`);
    assert.deepEqual(generated, [1, 2, 3, 4]);
  },

  threads({ threads }, count) {
    assert.deepEqual(threads, { count, sameAsOne: true });
  },

  errors({ errors }) {
    assert.deepEqual(errors, {
      shape: {
        name: 'HeadwiseError',
        code: 'invalid-shape',
        message: 'queries: expected (batch, queries, 100), got (2, 4, 64)',
      },
      option: {
        name: 'HeadwiseError',
        code: 'invalid-option',
        message: 'numHeads: expected a divisor of numHiddens (100), got 7',
      },
    });
  },
};

/** The text of the README's first example, and the lines that it prints by `console.log`. */
export function readmeExample() {
  const [, text] = /```js\n(.*?)```/s.exec(readFileSync(fromRoot('README.md'), 'utf8'));
  return { text, printed: ['[2,4,100]', '[2,5,4,6]', String(Math.fround(1 / 3))] };
}
