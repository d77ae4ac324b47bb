/** The value below which such a part of the samples lies, between two of them if need be. */
function quantile(sorted, part) {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

export function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    least: sorted[0],
    median: quantile(sorted, 0.5),
    lowerQuartile: quantile(sorted, 0.25),
    upperQuartile: quantile(sorted, 0.75),
  };
}
