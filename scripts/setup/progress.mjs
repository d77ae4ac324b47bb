// What the terminal shows: a line for each part when it is done, and a sign of life meanwhile.
import { Interrupted } from './errors.mjs';

const secondsBetweenSigns = 15;

/** @param {number} since from performance.now() */
export function secondsSince(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** @param {NodeJS.WriteStream} out */
export function createProgress(out) {
  /** @type {Set<{ name: string, began: number, note: string, shown: number }>} */
  const parts = new Set();
  const isTerminal = out.isTTY;

  const erase = () => isTerminal && out.write('\r\x1b[K');

  const wholeSecondsOf = (/** @type {{ began: number }} */ { began }) =>
    `${Math.floor((performance.now() - began) / 1000)} s`;

  const showStatus = () => {
    const status = [...parts]
      .map((part) => `${part.name} ${wholeSecondsOf(part)}${part.note && ` (${part.note})`}`)
      .join(', ');
    if (!isTerminal || !status) return;
    // A line that wraps cannot be erased.
    erase();
    out.write(`… ${status}`.slice(0, (out.columns || 80) - 1));
  };

  const showSignsOfLife = () => {
    for (const part of parts) {
      if (performance.now() - part.shown < secondsBetweenSigns * 1000) continue;
      part.shown = performance.now();
      const note = part.note && `: ${part.note}`;
      out.write(`  … ${part.name}, ${wholeSecondsOf(part)}${note}\n`);
    }
  };

  const timer = setInterval(isTerminal ? showStatus : showSignsOfLife, isTerminal ? 200 : 1000);
  timer.unref();

  return {
    /** @param {string} text */
    line(text) {
      erase();
      out.write(`${text}\n`);
      showStatus();
    },

    /**
     * Shows `name` as under way until `work` ends, then the time it took.
     * @template T
     * @param {string} name
     * @param {(note: (text: string) => void) => Promise<T>} work
     * @param {string} [facts] follows the name in the line at the end
     * @returns {Promise<T>}
     */
    async during(name, work, facts = '') {
      const part = { name, began: performance.now(), note: '', shown: performance.now() };
      parts.add(part);
      try {
        const result = await work((text) => (part.note = text.replace(/\s+/g, ' ').slice(0, 40)));
        parts.delete(part);
        this.line(`  ✓ ${name}${facts}  ${secondsSince(part.began)}`);
        return result;
      } catch (error) {
        parts.delete(part);
        if (!(error instanceof Interrupted)) this.line(`  ✗ ${name}`);
        throw error;
      }
    },

    close() {
      clearInterval(timer);
      parts.clear();
      erase();
    },
  };
}
