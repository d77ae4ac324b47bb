import { scaleSequential } from 'd3-scale';
import { interpolateViridis } from 'd3-scale-chromatic';

/**
 * The one scale of every map: a weight's colour means the same in every head, part and theme.
 * Viridis is perceptually even and safe for the common kinds of colour blindness; of the maps that
 * are, it separates low weights best, and an untrained head has few others.
 */
export const colourOfWeight = scaleSequential(interpolateViridis).domain([0, 1]);

/** Up to here white ink has a contrast of at least 4.5 to viridis, from here on black ink has. */
const lightestForWhiteInk = 0.435;

export function wantsDarkInk(weight: number): boolean {
  return weight > lightestForWhiteInk;
}
