// What the terminal shows of running steps: a line each when done, and who is at work meanwhile.

export const seconds = (value) =>
  value < 60
    ? `${value.toFixed(1)} s`
    : `${Math.floor(value / 60)} min ${String(Math.floor(value % 60)).padStart(2, '0')} s`;

/** Where there is no terminal, as on CI, who is at work is told this often. */
const tellEveryMs = 3 * 60_000;

const marks = { failed: '✗', skipped: '-' };

export function createReport(steps) {
  const width = Math.max(...steps.map((step) => step.name.length));
  /** When each began. */
  const underWay = new Map();
  const held = [];
  const isTerminal = process.stdout.isTTY;

  // A step that writes to the terminal itself has it alone.
  const isTaken = () => [...underWay.keys()].some((step) => step.live);

  const show = (text = '') => {
    if (isTaken()) {
      if (text) held.push(text);
      return;
    }
    if (isTerminal) process.stdout.write('\r\x1b[K');
    process.stdout.write(held.splice(0).join('') + text);
    if (isTerminal && underWay.size > 0) {
      process.stdout.write(`… ${[...underWay.keys()].map((step) => step.name).join(', ')}`);
    }
  };

  const since = (began) => seconds((performance.now() - began) / 1000);
  const tell = () => {
    if (underWay.size === 0) return;
    show(`… ${[...underWay].map(([{ name }, began]) => `${name}, ${since(began)}`).join('; ')}\n`);
  };
  if (!isTerminal) setInterval(tell, tellEveryMs).unref();

  return {
    started(step) {
      if (step.live) show();
      underWay.set(step, performance.now());
      if (!step.live) show();
    },
    finished(step, { state, seconds: taken, counts, notes, output }) {
      underWay.delete(step);
      const facts = [
        ['up to date', 'unchanged', 'skipped'].includes(state) ? state : seconds(taken),
      ];
      if (counts && state !== 'failed') facts.push(`${counts.passed} passed`);
      if (counts?.skipped) facts.push(`${counts.skipped} skipped`);
      const mark = marks[state] ?? '✓';
      const lines = [`${mark} ${step.name.padEnd(width)}  ${facts.join(', ')}`];
      if (state === 'failed') lines.push(output.trimEnd());
      else lines.push(...notes.map((note) => `    ${note}`));
      show(`${lines.join('\n')}\n`);
    },
    dropped(step) {
      underWay.delete(step);
      show();
    },
  };
}
