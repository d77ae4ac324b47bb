// The programs that the playground opens with: the README's, and one that draws.
import { readFileSync } from 'node:fs';
import { fromRoot } from '../../../../scripts/lib/files.mjs';

const files = ['README.md', 'docs/run/draw-heads.js'];

export default {
  watch: files.map((file) => fromRoot(file)),
  load() {
    const [readme, drawing] = files.map((file) => readFileSync(fromRoot(file), 'utf8'));
    const [, tenLines] = /^```js\n(.*?)\n```$/ms.exec(readme);
    return [
      { name: 'Ten lines', code: tenLines },
      { name: 'Draw heads', code: drawing.trimEnd() },
    ];
  },
};
