// Reads the numbers of tests, and what they have to say, from what the test programs print.

const sum = (output, pattern) =>
  [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);

/** Node's test runner with its spec reporter. */
export const countNodeTests = (output) => ({
  passed: sum(output, /^ℹ pass (\d+)$/gm),
  failed: sum(output, /^ℹ (?:fail|cancelled) (\d+)$/gm),
  skipped: sum(output, /^ℹ (?:skipped|todo) (\d+)$/gm),
});

/** What Node tests tell by `t.diagnostic`, a line each. */
export const notesOfNodeTests = (output) =>
  [...output.matchAll(/^\s*ℹ (.+)$/gm)]
    .map(([, text]) => text)
    .filter((text) => !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(text));

/** CTest's closing line; it counts what was skipped neither as failed nor apart from the rest. */
export function countCTests(output) {
  const skipped = (output.match(/\*\*\*(?:Skipped|Not Run)/g) ?? []).length;
  const failed = sum(output, /^\d+% tests passed, (\d+) tests? failed out of \d+$/gm);
  const all = sum(output, /^\d+% tests passed, \d+ tests? failed out of (\d+)$/gm);
  return { passed: all - failed - skipped, failed, skipped };
}

/** A check that is a single test. */
export const countAsOne = (_output, hasPassed) => ({
  passed: hasPassed ? 1 : 0,
  failed: hasPassed ? 0 : 1,
  skipped: 0,
});

export function total(results) {
  const all = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts } of results) {
    for (const key of Object.keys(all)) all[key] += counts?.[key] ?? 0;
  }
  return all;
}
