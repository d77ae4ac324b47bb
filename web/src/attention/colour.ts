import { scaleDiverging, scaleSequential } from 'd3-scale';
import { interpolatePuOr, interpolateViridis } from 'd3-scale-chromatic';

/** The colours of a map, and on which of them ink has to be dark. */
export interface MapColours {
  readonly fill: (value: number) => string;
  readonly wantsDarkInk: (value: number) => boolean;
}

/**
 * The one scale of every map: a weight's colour means the same in every head, part and theme.
 * Viridis is perceptually even and safe for the common kinds of colour blindness; of the maps that
 * are, it separates low weights best, and an untrained head has few others.
 */
export const colourOfWeight = scaleSequential(interpolateViridis).domain([0, 1]);

/** Up to here white ink has a contrast of at least 4.5 to viridis, from here on black ink has. */
const lightestForWhiteInk = 0.435;

export const fixedColours: MapColours = {
  fill: colourOfWeight,
  wantsDarkInk: (weight) => weight > lightestForWhiteInk,
};

/** The same colours for 0 to the largest weight of one map. */
export function contrastColours(largest: number): MapColours {
  const share = (weight: number): number => (largest === 0 ? 0 : weight / largest);
  return {
    fill: (weight) => colourOfWeight(share(weight)),
    wantsDarkInk: (weight) => fixedColours.wantsDarkInk(share(weight)),
  };
}

/**
 * Differences from −`largest` (violet) to `largest` (orange), with 0 in pale grey between them;
 * orange and violet are told apart with every common kind of colour blindness.
 */
export function differenceColours(largest: number): MapColours {
  const fill = scaleDiverging(interpolatePuOr).domain([-largest || -1, 0, largest || 1]);
  return { fill, wantsDarkInk: (value) => isLight(fill(value)) };
}

/** Whether black has more contrast than white to `rgb(…)`, by WCAG's relative luminance. */
function isLight(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
