// How a slider looks: its thumb has the page's colour in Chromium, Firefox and WebKit, which draw their own otherwise.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { artefact } from '../lib/pages.mjs';
import { until } from '../lib/until.mjs';

test(`the thumb of a slider and what is left of it have the accent colour, in ${engineName}`, async (t) => {
  const act = await open(t, '?toy-steps=25#toy');
  const placesNow = () =>
    act.evaluate(() => {
      const slider = document.querySelector('#toy .slider');
      slider.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = slider.getBoundingClientRect();
      const thumb = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const share = (slider.value - slider.min) / (slider.max - slider.min);
      const x = left + thumb / 2 + share * (width - thumb);
      const y = top + height / 2;
      return [
        [x, y],
        [x, y - thumb / 3],
        [x - thumb, y],
        [x + thumb, y],
      ];
    });
  const path = artefact(`slider-${engineName}.png`);
  const look = async () => {
    const points = await placesNow();
    await act.screenshot(path);
    return act.evaluate(
      async ({ png, points }) => {
        const bytes = Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = document.createElement('canvas');
        canvas.width = bitmap.width;
        canvas.height = bitmap.height;
        const context = canvas.getContext('2d', { willReadFrequently: true });
        context.drawImage(bitmap, 0, 0);
        const scale = bitmap.width / window.innerWidth;
        const hex = (value) => value.toString(16).padStart(2, '0');
        return points.map(([x, y]) => {
          const { data } = context.getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1);
          return `#${[...data.slice(0, 3)].map(hex).join('')}`;
        });
      },
      { png: readFileSync(path).toString('base64'), points },
    );
  };
  const [accent, surface] = await act.evaluate(() =>
    ['--accent', '--surface'].map((name) =>
      getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
    ),
  );
  const expected = [accent, accent, accent, surface].join();
  let seen;
  // What is still loaded above it may move it between two looks.
  await until(
    async () => (seen = (await look()).join()) === expected,
    () => `it has ${seen}, not ${expected}`,
  );
});
