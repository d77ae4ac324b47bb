// The glossary and the translations of the page, and what is drawn of a long run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { currentAct } from '../../web/src/app/scrolling.ts';
import { downsample } from '../../web/src/ui/chart.ts';
import { words as glossary } from '../../web/src/ui/glossary-words.ts';

const source = new URL('../../web/src/', import.meta.url).pathname;

describe('translations', () => {
  /** All text of a dictionary by its path; functions are called with numbers for all they may take. */
  function textsOf(words, path = []) {
    return Object.entries(words).flatMap(([name, value]) => {
      const here = [...path, name];
      if (typeof value === 'string') return [[here.join('.'), value]];
      if (typeof value === 'object' && value !== null) return textsOf(value, here);
      return [];
    });
  }
  const termsOf = (text) =>
    [...text.matchAll(/\[([^\]]+)\]/g)].map(([, inner]) => {
      const [shown, term = shown.toLowerCase()] = inner.split('|');
      return term;
    });

  it('use no term that the glossary does not define, in a sentence each', () => {
    const files = readdirSync(source, { recursive: true }).filter((file) =>
      /(?:words|description)(?:\.\w\w)?\.ts$/.test(file),
    );
    expect(files.length).toBeGreaterThan(40);
    for (const file of files) {
      const text = readFileSync(join(source, file), 'utf8').replaceAll(
        /^\s*(?:\*|\/[/*]).*$/gm,
        '',
      );
      // Not an index or an array: a term follows a space or a mark of a sentence.
      for (const term of termsOf(text).filter((each) => /^[a-z][a-z -]+$/.test(each))) {
        if (new RegExp(`\\w\\[${term}\\]`).test(text)) continue;
        expect(Object.keys(glossary), `${file}: [${term}]`).toContain(term);
      }
    }
    for (const [term, text] of Object.entries(glossary)) {
      expect(text, term).toMatch(/^[A-Z][^.]*(?:\.\d[^.]*)*\.$/);
      expect(text.length, term).toBeLessThan(180);
    }
  });

  // Names by which `translatable` knows them.
  const named = readdirSync(source, { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/translatable\('(\w+)'/g)].map(
        ([, name]) => name,
      ),
    );

  for (const language of ['zh', 'ko', 'id']) {
    let translated;
    beforeAll(async () => {
      translated = (await import(`../../web/src/app/words.${language}.ts`)).texts;
    });

    it(`${language} has other texts than English, with as many marks`, () => {
      const texts = textsOf(translated);
      expect(Object.keys(translated).sort()).toEqual(named.sort());
      expect(texts.length).toBeGreaterThan(300);
      const marked = texts.filter(([, text]) => (text.match(/\*/g) ?? []).length % 2 === 1);
      expect(marked).toEqual([]);
      expect(Object.keys(translated.glossary).sort()).toEqual(Object.keys(glossary).sort());
      const left = texts.filter(([, text]) => language !== 'id' && !/[^\p{ASCII}]/u.test(text));
      expect(left.filter(([, text]) => /[a-z]+ [a-z]+ [a-z]+/.test(text))).toEqual([]);
    });
  }
});

describe('drawing', () => {
  it('downsamples lines to the room of a chart, and keeps extremes and the end', () => {
    const points = (count) => Array.from({ length: count }, (_, x) => [x, Math.sin(x)]);
    expect(downsample(points(200), 200)).toHaveLength(200);
    for (const count of [201, 1000, 12_345]) {
      const all = points(count);
      const kept = downsample(all, 200);
      expect(kept.length).toBeLessThanOrEqual(203);
      expect(kept.length).toBeGreaterThan(40);
      expect(kept.at(-1)).toEqual(all.at(-1));
      expect(kept.map(([x]) => x)).toEqual(kept.map(([x]) => x).toSorted((a, b) => a - b));
      const ys = (some) => some.map(([, y]) => y);
      expect(Math.max(...ys(kept))).toBe(Math.max(...ys(all)));
      expect(Math.min(...ys(kept))).toBe(Math.min(...ys(all)));
    }
  });

  it('finds the act that is read', () => {
    const cases = [
      [[500, 1500], -1],
      [[400, 1500], 0],
      [[-900, 399], 1],
      [[-900, Infinity, 200], 2],
      [[-900, 800], 0],
    ];
    for (const [tops, act] of cases) expect(currentAct(tops, 1000, 5000), String(tops)).toBe(act);
    expect(currentAct([-900, 800], 1000, 0), 'at the end of the page').toBe(1);
  });
});
