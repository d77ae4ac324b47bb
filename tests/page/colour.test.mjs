// The colours of weights and signed numbers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { headColour, numHeadColours } from 'headwise/view';
import {
  luminance,
  paper,
  poles,
  signedColours,
  weightColours,
} from '../../web/src/attention/colour.ts';
import { range } from './lib/float64.mjs';

const heads = range(numHeadColours);
/** Light and dark of `light-dark(…)`. */
const themes = (value) => value.match(/rgb\([^)]*\)|#\w+/g);
const rgb = (hex) =>
  `rgb(${hex
    .match(/[\da-f]{2}/g)
    .map((pair) => parseInt(pair, 16))
    .join(', ')})`;
const hexes = (value) => value.match(/#[\da-f]{6}/g);

test('a weight has the hue of its head, mixed with the background in proportion', () => {
  for (const head of heads) {
    const { fill } = weightColours(head);
    assert.deepEqual(themes(fill(0)), [rgb(paper.light), rgb(paper.dark)]);
    assert.deepEqual(themes(fill(1)), hexes(headColour(head)).map(rgb));
    const [half, ends] = [fill(0.5), [fill(0), fill(1)]].map((of) =>
      [of].flat().map((each) => each.match(/\d+/g).map(Number)),
    );
    half[0].forEach((channel, i) =>
      assert.ok(Math.abs(channel - (ends[0][i] + ends[1][i]) / 2) < 2),
    );
  }
});

test('a number on a cell has a contrast of at least 4.5, in light and dark', () => {
  const scales = [...heads.map((head) => weightColours(head)), signedColours(1)];
  for (const { fill, ink } of scales) {
    for (const value of range(201).map((step) => step / 100 - 1)) {
      const inks = themes(ink(value)).map((each) => (each === '#000' ? 0 : 1));
      themes(fill(value)).forEach((colour, theme) => {
        const [low, high] = [luminance(colour), inks[theme]].sort((a, b) => a - b);
        assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${colour} at ${value}`);
      });
    }
  }
});

test('signed numbers have hues that no head has, with 0 as the background between them', () => {
  const hue = (hex) => {
    const [r, g, b] = hex.match(/[\da-f]{2}/g).map((pair) => parseInt(pair, 16));
    return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI;
  };
  const apart = (a, b) => Math.abs(((hue(a) - hue(b) + 540) % 360) - 180);
  for (const { light, dark } of Object.values(poles)) {
    for (const [ofLight, ofDark] of heads.map((head) => hexes(headColour(head)))) {
      assert.ok(apart(light, ofLight) > 20 && apart(dark, ofDark) > 20, `${light} ${ofLight}`);
    }
  }
  const { fill } = signedColours(0.5);
  assert.deepEqual(themes(fill(-0.5)), [rgb(poles.negative.light), rgb(poles.negative.dark)]);
  assert.deepEqual(themes(fill(0.5)), [rgb(poles.positive.light), rgb(poles.positive.dark)]);
  assert.deepEqual([fill(0), signedColours(0).fill(0)], [weightColours(0).fill(0), fill(0)]);
});

test('style sheets have the same background and poles', () => {
  const css = readFileSync(new URL('../../web/src/ui/tokens.css', import.meta.url), 'utf8');
  for (const [name, { light, dark }] of Object.entries({ paper, ...poles })) {
    assert.ok(css.includes(`--${name}: light-dark(${light}, ${dark});`), name);
  }
});
