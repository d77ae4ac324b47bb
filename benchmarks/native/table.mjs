// What is printed of the kernels' results.
import { align, quartiles, time } from '../web/table.mjs';

const rate = ({ gflops, nanosecondsPerElement }) =>
  gflops ? `${gflops.toFixed(1)} GFLOP/s` : `${nanosecondsPerElement.toFixed(3)} ns each`;

const comparison = ({ other, timesOther }) =>
  timesOther ? `${timesOther.toFixed(2)} × ${other}` : '';

/** The same work by others follows ours. */
function besideEachOther(results) {
  const place = ({ architecture, benchmark }) =>
    results.findIndex((each) => each.architecture === architecture && each.benchmark === benchmark);
  return results.toSorted((a, b) => place(a) - place(b));
}

export function kernelsTable(results) {
  const rows = [['', 'by', 'median', 'quartiles', 'rate', 'speed']];
  const failed = [];
  for (const result of besideEachOther(results)) {
    if (result.failed) {
      failed.push(`${result.architecture}: ${result.failed}`);
      continue;
    }
    rows.push([
      `${result.architecture} ${result.benchmark}`,
      result.by,
      time(result.median),
      quartiles(result),
      rate(result),
      comparison(result),
    ]);
  }
  return [align(rows), ...failed].join('\n');
}
