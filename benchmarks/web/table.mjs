// What is printed of the results.
import { peers } from './peers.mjs';
import { summary } from './statistics.mjs';

/** A time as text, with its unit. */
export const time = (milliseconds) =>
  milliseconds < 1 ? `${(milliseconds * 1000).toFixed(1)} µs` : `${milliseconds.toFixed(2)} ms`;

/** Quartiles as text, in the unit of their median. */
export function quartiles({ median, lowerQuartile, upperQuartile }) {
  const short = (milliseconds) =>
    Number((median < 1 ? milliseconds * 1000 : milliseconds).toPrecision(3));
  return `${short(lowerQuartile)} to ${short(upperQuartile)}`;
}

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

/** The fastest of the peers that one of ours is compared with: native code with native code. */
export function bestPeer(results, { isNative }) {
  // Bare Node, beside which a cold start is shown, is none.
  const isPeer = (peer) => peer && !peer.isOurs && !peer.ceiling && peer.isNative === isNative;
  return results
    .filter(({ peer, failed }) => !failed && isPeer(peers[peer]))
    .toSorted((a, b) => a.median - b.median)[0];
}

/** Quartiles of one's times over another's, round by round. */
export function spreadOver({ samples: ours }, { samples: others }) {
  if (!ours || ours.length !== others?.length) return undefined;
  const { lowerQuartile, upperQuartile } = summary(ours.map((took, i) => took / others[i]));
  return [lowerQuartile, upperQuartile];
}

/** Adds, to each of ours, how it stands to the best peer and to the ceiling. */
export function compare(results, threads) {
  for (const result of results.filter(({ peer, failed }) => peers[peer].isOurs && !failed)) {
    if (peers[result.peer].isPart) {
      const forward = results.find(({ peer, failed: none }) => peer === 'headwise' && !none);
      if (forward) {
        result.timesForward = result.median / forward.median;
        result.timesForwardSpread = spreadOver(result, forward);
      }
      continue;
    }
    const best = bestPeer(results, peers[result.peer]);
    const ceiling = results.find(
      ({ peer }) => result.variant && peers[peer].ceiling === result.variant,
    );
    if (best) {
      result.timesBestPeer = best.median / result.median;
      result.timesBestPeerAtLeast = best.least / result.least;
      result.timesBestPeerSpread = spreadOver(best, result);
    }
    if (ceiling?.gflops && result.gflops) {
      result.shareOfCeiling = result.gflops / (ceiling.gflops * threads);
      result.shareOfCeilingAtLeast =
        result.flops / result.least / ((ceiling.flops / ceiling.least) * threads);
    }
  }
  return results;
}

export function coldStartTable(results) {
  const rows = [['', 'median', 'quartiles', 'above bare Node']];
  for (const result of results) {
    const { peer, median, above, failed } = result;
    if (failed) rows.push([peer, failed, '', '']);
    else rows.push([peer, time(median), quartiles(result), above ? time(above) : '']);
  }
  return align(rows);
}

export const sizeTable = (results) =>
  align(results.map(({ peer, bytes }) => [peer, `${(bytes / 1000).toFixed(1)} KB`]));

/** A ratio of medians as text, with its quartiles over the rounds and that of the least times. */
export function ratio(times, spread, atLeast) {
  if (!times) return '';
  const facts = [
    spread?.map((number) => number.toFixed(2)).join(' to '),
    atLeast && `min ${atLeast.toFixed(2)}`,
  ].filter(Boolean);
  return `${times.toFixed(2)} ×${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`;
}

/** The shares of the ceiling of the median and of the least time. */
export function shares({ shareOfCeiling: share, shareOfCeilingAtLeast: atLeast }) {
  if (!share) return '';
  const percent = (part) => `${(part * 100).toFixed(0)} %`;
  return atLeast ? `${percent(share)} (min ${percent(atLeast)})` : percent(share);
}

export function table(results) {
  const rows = [['', 'median', 'min', 'quartiles', 'GFLOP/s', 'of ceiling', 'to best peer']];
  const hasParts = results.some(({ timesForward }) => timesForward);
  const hasTokens = results.some(({ tokensPerSecond }) => tokensPerSecond);
  if (hasParts) rows[0].push('of a forward');
  const hasSame = results.some(({ sameTokens }) => sameTokens !== undefined);
  if (hasTokens) rows[0].push('tokens/s');
  if (hasSame) rows[0].push('like float64');
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
    const { tokensPerSecond: tokens, sameTokens } = result;
    rows.push([
      result.peer + (facts && ` (${facts})`),
      time(result.median),
      time(result.least),
      quartiles(result),
      result.gflops?.toFixed(1) ?? '',
      shares(result),
      ratio(result.timesBestPeer, result.timesBestPeerSpread, result.timesBestPeerAtLeast),
      ...(hasParts ? [ratio(result.timesForward, result.timesForwardSpread)] : []),
      ...(hasTokens ? [tokens?.toFixed(0) ?? ''] : []),
      ...(hasSame ? [`${sameTokens ?? ''}`] : []),
    ]);
  }
  return [align(rows), ...failed].join('\n');
}
