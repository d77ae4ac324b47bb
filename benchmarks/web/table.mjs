// What is printed of the results.
import { peers } from './peers.mjs';

const time = (milliseconds) =>
  milliseconds < 1 ? `${(milliseconds * 1000).toFixed(1)} µs` : `${milliseconds.toFixed(2)} ms`;

const short = (milliseconds) =>
  String(Number((milliseconds < 1 ? milliseconds * 1000 : milliseconds).toPrecision(3)));

/** Columns side by side, the first to the left, the others to the right. */
export function align(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The fastest of the peers that ours are compared with. */
function bestPeer(results) {
  return results
    .filter(({ peer, failed }) => !failed && isPeer(peers[peer]))
    .toSorted((a, b) => a.median - b.median)[0];
}

const isPeer = ({ isOurs, isNative, ceiling }) => !isOurs && !isNative && !ceiling;

/** Adds, to each of ours, how it stands to the best peer and to the ceiling. */
export function compare(results, threads) {
  const best = bestPeer(results);
  for (const result of results.filter(({ peer, failed }) => peers[peer].isOurs && !failed)) {
    const ceiling = results.find(({ peer }) => peers[peer].ceiling === result.variant);
    if (best) result.timesBestPeer = best.median / result.median;
    if (ceiling?.gflops && result.gflops) {
      result.shareOfCeiling = result.gflops / (ceiling.gflops * threads);
    }
  }
  return results;
}

export function coldStartTable(results) {
  const rows = [['', 'median', 'quartiles', 'above bare Node']];
  for (const { peer, median, lowerQuartile, upperQuartile, above, failed } of results) {
    if (failed) rows.push([peer, failed, '', '']);
    else {
      const quartiles = `${short(lowerQuartile)} to ${short(upperQuartile)}`;
      rows.push([peer, time(median), quartiles, above ? time(above) : '']);
    }
  }
  return align(rows);
}

export const sizeTable = (results) =>
  align(results.map(({ peer, bytes }) => [peer, `${(bytes / 1000).toFixed(1)} KB`]));

export function table(results) {
  const rows = [['', 'median', 'quartiles', 'GFLOP/s', 'of ceiling', 'to best peer']];
  const failed = [];
  for (const result of results) {
    if (result.failed) {
      failed.push(`${result.peer}: ${result.failed}`);
      continue;
    }
    const facts = [
      result.variant,
      result.threads < result.requestedThreads && `on ${result.threads}`,
    ]
      .filter(Boolean)
      .join(', ');
    const { shareOfCeiling: share, timesBestPeer: times } = result;
    rows.push([
      result.peer + (facts && ` (${facts})`),
      time(result.median),
      `${short(result.lowerQuartile)} to ${short(result.upperQuartile)}`,
      result.gflops?.toFixed(1) ?? '',
      share ? `${(share * 100).toFixed(0)} %` : '',
      times ? `${times.toFixed(2)} ×` : '',
    ]);
  }
  return [align(rows), ...failed].join('\n');
}
