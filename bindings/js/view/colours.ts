/**
 * A colour for each head, for light and dark backgrounds. Each has a contrast of at least 3 : 1 to white, or to
 * backgrounds as dark as #15181d. Neighbours differ in lightness and hue, so that people with common kinds of colour
 * blindness can distinguish them. Based on Okabe and Ito's set, with darker and lighter shades.
 */
const palette = [
  { light: '#2464b4', dark: '#6cabf5' },
  { light: '#c4501b', dark: '#f79a66' },
  { light: '#12805c', dark: '#52cca0' },
  { light: '#93479e', dark: '#d592e2' },
  { light: '#8a6a00', dark: '#e3bd45' },
  { light: '#0b788f', dark: '#57c7dd' },
  { light: '#be3566', dark: '#f58bb0' },
  { light: '#675d53', dark: '#b9ada0' },
] as const;

/** Number of colours. Further heads reuse them from the first. */
export const numHeadColours = palette.length;

/**
 * A head's colour as a CSS value; heads count from 0. It is `--attention-head-1` (and so on) if the page sets it,
 * otherwise a colour for light or dark backgrounds (`light-dark()` follows `color-scheme`).
 */
export function headColour(head: number): string {
  const at = head % numHeadColours;
  const { light, dark } = palette[at] ?? palette[0];
  return `var(--attention-head-${at + 1}, light-dark(${light}, ${dark}))`;
}
