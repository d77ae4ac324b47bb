/**
 * A colour per head, light and dark: each has a contrast of at least 3 : 1 to white, or to a ground as dark as #15181d,
 * and neighbours differ in lightness as well as in hue, so that they are told apart with the common kinds of colour
 * blindness. After Okabe and Ito's set, with darker and lighter kin.
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

/** Heads beyond these have the colours of the first ones again. */
export const numHeadColours = palette.length;

/**
 * The colour of a head, counted from 0, as a value of CSS: `--attention-head-1` and so on where a page sets them, else a
 * colour of its own for light and for dark (`light-dark()` follows `color-scheme`).
 */
export function headColour(head: number): string {
  const at = head % numHeadColours;
  const { light, dark } = palette[at] ?? palette[0];
  return `var(--attention-head-${at + 1}, light-dark(${light}, ${dark}))`;
}
