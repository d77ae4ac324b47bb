import { headColour } from './colours.js';
import { element, movedBy, range, setAttributes, svg } from './dom.js';
import { type Reader, type Scene, shownHeads, twoDigits, type View, visible } from './scene.js';

/** Smaller weights get no arc. In long sentences most weights are smaller. */
const leastDrawn = 0.02;

/** Smaller weights are rounded to 0.00. */
const leastTold = 0.005;

interface Word {
  readonly root: HTMLElement;
  readonly number: HTMLElement;
  /** One bar for each head. */
  readonly bars: readonly HTMLElement[];
}

/** Position of a word in CSS pixels of the figure. */
interface Place {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The inputs that the words' elements depend on. While these stay the same, only the numbers change. */
interface Made {
  readonly queryTokens: readonly string[];
  readonly keyTokens: readonly string[];
  readonly isCross: boolean;
  readonly heads: number;
}

/**
 * The head view. Each head's arcs lead from the shown word (the query) to the words that it attends to (the keys), in
 * the head's colour. An arc's width and opacity grow with the weight.
 */
export function createArcs(reader: Reader): View & { readonly layOut: () => void } {
  const curves = svg('svg', { class: 'curves', 'aria-hidden': 'true' });
  const keyRow = element('div', { class: 'row keys', role: 'list' });
  const queryRow = element('div', {
    class: 'row queries',
    role: 'listbox',
    'aria-orientation': 'horizontal',
  });
  const root = element('div', { class: 'arcs' }, keyRow, queryRow, curves);
  let made: Made | undefined;
  let queries: readonly Word[] = [];
  let keys: readonly Word[] = [];
  let shown: Scene | undefined;

  function createWord(token: string, role: string, heads: number): Word {
    const bars = range(heads).map((head) => {
      const bar = element('span', { class: 'bar', 'data-box': true });
      bar.style.setProperty('--colour', headColour(head));
      return bar;
    });
    const number = element('span', { class: 'number' });
    const measures = heads === 0 ? [] : [element('span', { class: 'bars' }, ...bars), number];
    const details = element('span', { class: 'details', 'aria-hidden': 'true' }, ...measures);
    return {
      root: element(
        'div',
        { class: 'word', role },
        element('span', { class: 'token', 'data-box': true }, visible(token)),
        ...(heads === 0 ? [] : [details]),
      ),
      number,
      bars,
    };
  }

  function makeWords({ queryTokens, keyTokens, isCross, weights: { heads } }: Scene): void {
    if (
      made?.queryTokens === queryTokens &&
      made.keyTokens === keyTokens &&
      made.isCross === isCross &&
      made.heads === heads
    ) {
      return;
    }
    made = { queryTokens, keyTokens, isCross, heads };
    queries = queryTokens.map((token) => createWord(token, 'option', isCross ? 0 : heads));
    keys = isCross ? keyTokens.map((token) => createWord(token, 'listitem', heads)) : queries;
    setAttributes(root, { 'data-cross': isCross });
    keyRow.hidden = !isCross;
    keyRow.replaceChildren(...(isCross ? keys.map((word) => word.root) : []));
    queryRow.replaceChildren(...queries.map((word) => word.root));
  }

  const placesOf = (words: readonly Word[]): Place[] => {
    const frame = root.getBoundingClientRect();
    return words.map((word) => {
      const { left, width, top, bottom } = word.root.getBoundingClientRect();
      return { x: left + width / 2 - frame.left, top: top - frame.top, bottom: bottom - frame.top };
    });
  };

  function drawCurves(scene: Scene): void {
    const lines = new Set(placesOf(queries).map(({ top }) => top)).size;
    setAttributes(root, { 'data-many': lines > 2 });
    const { weights, query } = scene;
    const { width, height } = root.getBoundingClientRect();
    const from = placesOf(queries).at(query);
    if (from === undefined || width === 0) return;
    const to = scene.isCross ? placesOf(keys) : placesOf(queries);
    const rise = riseOf(queries);
    const heads = shownHeads(scene);
    const found = heads.flatMap((head, i) =>
      to.flatMap((place, key) => {
        const weight = weights.at(head, query, key);
        return weight < leastDrawn ? [] : [{ head, lane: i, place, key, weight }];
      }),
    );
    found.sort((a, b) => a.weight - b.weight);
    setAttributes(curves, { viewBox: `0 0 ${width} ${height}` });
    curves.replaceChildren(
      ...found.map(({ head, lane, place, key, weight }) => {
        const path = svg('path', {
          d: curveOf(from, place, {
            lane,
            lanes: heads.length,
            rise,
            width,
            isSelf: !scene.isCross && key === query,
          }),
          'stroke-width': 1 + 4.5 * Math.min(weight, 1),
          'stroke-opacity': 0.16 + 0.8 * Math.min(weight, 1),
          'data-head': head,
          'data-key': key,
        });
        path.style.setProperty('--colour', headColour(head));
        return path;
      }),
    );
  }

  const drawNumbers = (scene: Scene): void => {
    const { weights, query, head: isolated } = scene;
    const heads = shownHeads(scene);
    keys.forEach(({ root: word, number, bars }, key) => {
      const largest = Math.max(...heads.map((head) => weights.at(head, query, key)));
      const isOut = range(weights.heads).every((head) => weights.at(head, query, key) < leastTold);
      number.textContent = largest < leastTold ? '' : twoDigits(largest);
      bars.forEach((bar, head) => {
        bar.style.setProperty('--weight', String(Math.min(weights.at(head, query, key), 1)));
        setAttributes(bar, { 'data-off': isolated !== undefined && head !== isolated });
      });
      setAttributes(word, { 'data-out': isOut && (scene.isCross || key !== query) });
    });
  };

  const focusOn = (query: number): void => {
    reader.choose({ query });
    queries[query]?.root.focus();
  };
  const indexOf = (target: EventTarget | null): number =>
    queries.findIndex(({ root: word }) => target instanceof Node && word.contains(target));
  queryRow.addEventListener('pointerover', ({ target, pointerType }) => {
    const query = indexOf(target);
    if (query >= 0 && pointerType !== 'touch') reader.point({ query });
  });
  queryRow.addEventListener('pointerleave', () => {
    reader.point(undefined);
  });
  queryRow.addEventListener('click', ({ target }) => {
    const query = indexOf(target);
    if (query >= 0) focusOn(query);
  });
  queryRow.addEventListener('keydown', (event) => {
    if (shown === undefined) return;
    const steps = { ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight' } as const;
    const { key } = event;
    const along = key === 'ArrowUp' || key === 'ArrowDown' ? steps[key] : key;
    const { query } = shown;
    const to = movedBy({ key: along, ctrlKey: false }, [0, query], [1, queries.length]);
    if (to === undefined) return;
    event.preventDefault();
    focusOn(to[1]);
  });

  return {
    root,
    draw(scene) {
      shown = scene;
      makeWords(scene);
      setAttributes(queryRow, { 'aria-label': scene.words.queries });
      setAttributes(keyRow, { 'aria-label': scene.words.keys });
      queries.forEach(({ root: word }, query) => {
        const isShown = query === scene.query;
        setAttributes(word, { 'aria-selected': String(isShown), tabindex: isShown ? 0 : -1 });
      });
      drawNumbers(scene);
      drawCurves(scene);
    },
    layOut() {
      if (shown !== undefined) drawCurves(shown);
    },
  };
}

/** Height of the space above a line of words. */
function riseOf(words: readonly Word[]): number {
  const word = words.at(0);
  return word === undefined ? 0 : parseFloat(getComputedStyle(word.root).marginBlockStart) || 0;
}

interface Curve {
  /** The head's index among the shown heads, whose arcs are side by side. */
  readonly lane: number;
  readonly lanes: number;
  /** Height of the space above a line of words. */
  readonly rise: number;
  readonly width: number;
  readonly isSelf: boolean;
}

function curveOf(from: Place, to: Place, { lane, lanes, rise, width, isSelf }: Curve): string {
  if (isSelf) {
    // Nested loops, each from the word back to itself.
    const step = Math.min(7, (0.9 * rise - 16) / lanes);
    const [height, half] = [(14 + step * (lane + 1)) / 0.75, 10 + 1.6 * step * (lane + 0.5)];
    const [x, y] = [from.x, from.top];
    return `M${x} ${y}C${x - half} ${y - height} ${x + half} ${y - height} ${x} ${y}`;
  }
  const offset = Math.min(4.5, 20 / lanes) * (lane - (lanes - 1) / 2);
  const [x1, x2] = [from.x + offset, to.x + offset];
  if (from.top === to.top) {
    const distance = Math.abs(x2 - x1);
    const share = Math.sqrt(Math.min(distance / Math.max(width, 1), 1));
    // A cubic Bézier curve reaches 3/4 of its control points' height.
    const height = Math.min(16 + rise * 0.86 * share + 0.5 * offset, rise * 0.95) / 0.75;
    return `M${x1} ${from.top}C${x1} ${from.top - height} ${x2} ${to.top - height} ${x2} ${to.top}`;
  }
  // To a word in another line: through the space between the lines.
  const [y1, y2] = to.top < from.top ? [from.top, to.bottom] : [from.bottom, to.top];
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}
