import { scaleLinear } from 'd3-scale';
import { headColour } from 'headwise/view';

/** The colours of a map's cells, as CSS values for light and dark. */
export interface MapColours {
  readonly fill: (value: number) => string;
  /** The colour of a number on the cell, with a contrast of at least 4.5. */
  readonly ink: (value: number) => string;
}

export type Theme = 'dark' | 'light';

let dark: MediaQueryList | undefined;
const isDark = (): MediaQueryList => (dark ??= window.matchMedia('(prefers-color-scheme: dark)'));
let isPrinting = false;

/** The theme of canvases, which do not follow it by themselves: light on paper, else that of the reader's system. */
export const currentTheme = (): Theme => (isDark().matches && !isPrinting ? 'dark' : 'light');

/** Calls `redraw` whenever canvases need the colours of another theme. */
export function followTheme(redraw: () => void): void {
  isDark().addEventListener('change', redraw);
  for (const event of ['beforeprint', 'afterprint']) {
    window.addEventListener(event, () => {
      isPrinting = event === 'beforeprint';
      redraw();
    });
  }
}

/** `--paper` of ui/tokens.css. */
export const paper = { light: '#ffffff', dark: '#15181d' } as const;

type Hue = Readonly<Record<Theme, string>>;

/** Signed numbers: hues that no head has, and that people with the common kinds of colour blindness can distinguish. */
export const poles = {
  negative: { light: '#6a35c9', dark: '#ad8fff' },
  positive: { light: '#4c7a05', dark: '#a4d84e' },
} as const;

/** The last step of a scale: step 0 is the background, the last one the full hue. */
const lastStep = 255;

interface Ramp {
  /** Red, green and blue of each step, in sequence. */
  readonly bytes: Readonly<Record<Theme, Uint8ClampedArray>>;
  readonly fills: readonly string[];
  readonly inks: readonly string[];
}

/** A hue mixed with the background, in proportion to the step. */
function rampOf(hue: Hue): Ramp {
  const steps = (theme: Theme): string[] => {
    const mix = scaleLinear<string>([0, lastStep], [paper[theme], hue[theme]]);
    return Array.from({ length: lastStep + 1 }, (_none, step) => mix(step));
  };
  const [light, dark] = [steps('light'), steps('dark')];
  const pair = (of: (colour: string) => string): string[] =>
    light.map((colour, step) => `light-dark(${of(colour)}, ${of(dark[step] ?? '')})`);
  return {
    bytes: {
      light: Uint8ClampedArray.from(light.flatMap(channels)),
      dark: Uint8ClampedArray.from(dark.flatMap(channels)),
    },
    fills: pair((colour) => colour),
    inks: pair((colour) => (luminance(colour) > 0.179 ? '#000' : '#fff')),
  };
}

const channels = (colour: string): number[] => (colour.match(/\d+/g) ?? []).map(Number);

/** WCAG's relative luminance of `rgb(…)`. Black and white have the same contrast to 0.179. */
export function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const ramps = new Map<string, Ramp>();

/** The ramp of a head, counted from 0. */
export function rampOfHead(head: number): Ramp {
  const colour = headColour(head);
  const [light = '', dark = ''] = colour.match(/#[\da-f]{6}/g) ?? [];
  return remembered(colour, { light, dark });
}

function remembered(name: string, hue: Hue): Ramp {
  const ramp = ramps.get(name) ?? rampOf(hue);
  ramps.set(name, ramp);
  return ramp;
}

/** The ramp of negative or of positive numbers. */
export const rampOfSign = (value: number): Ramp =>
  value < 0 ? remembered('negative', poles.negative) : remembered('positive', poles.positive);

/** The step of a ramp for a share of its full hue. */
export const stepOf = (share: number): number =>
  Math.round(lastStep * Math.min(Math.max(share, 0), 1));

/** The one scale of weights: the head's hue, mixed with the background in proportion to the weight. */
export function weightColours(head: number): MapColours {
  const { fills, inks } = rampOfHead(head);
  return {
    fill: (weight) => fills[stepOf(weight)] ?? '',
    ink: (weight) => inks[stepOf(weight)] ?? '',
  };
}

/** Signed numbers from −`largest` (violet) through 0 (background) to `largest` (green). */
export function signedColours(largest: number): MapColours {
  const at = (value: number): number => stepOf(largest === 0 ? 0 : Math.abs(value) / largest);
  return {
    fill: (value) => rampOfSign(value).fills[at(value)] ?? '',
    ink: (value) => rampOfSign(value).inks[at(value)] ?? '',
  };
}
