// What the results of suite.js must be: those of this Node, with the plain SIMD build on one thread.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { dist } from '../../packaging/lib/project.mjs';
import { suite } from './suite.js';

const headwise = await import(pathToFileURL(`${dist}/models.js`).href);
const reference = await suite(headwise, { variant: 'simd', threads: 1 });

/** Builds with relaxed SIMD round differently. */
const tolerance = 1e-4;

/**
 * @param {Awaited<ReturnType<typeof suite>>} results
 * @param {{ variant?: string, threads?: number }} expected what `init` must have chosen
 */
export function judge({ variant, threads, numbers, losses, ...rest }, expected = {}) {
  assert.match(variant, /^(relaxed-)?simd$/);
  assert.deepEqual({ variant, threads, ...expected }, { variant, threads });
  const compared = { ...reference.numbers, losses: reference.losses };
  for (const [name, wanted] of Object.entries(compared)) {
    const got = { ...numbers, losses }[name];
    assert.equal(got.length, wanted.length, name);
    const isClose = wanted.every(
      (number, i) => Number.isFinite(got[i]) && Math.abs(number - got[i]) <= tolerance,
    );
    assert.ok(isClose, `${name}: expected ${wanted}, got ${got}`);
  }
  assert.ok(losses.at(-1) < 0.1 && losses[0] > 1, `losses: ${losses}`);
  assert.deepEqual(rest, {
    sameOnOneThread: true,
    generated: [1, 2, 3, 4],
    errors: {
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
    },
  });
}

/** What the README's example prints, without spaces. */
export const readmePrints = ['[2,4,100]', '[2,5,4,6]', String(Math.fround(1 / 3))];
