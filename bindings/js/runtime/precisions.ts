/** Precision in which numbers are stored. */
export type Precision = 'float32' | 'float16' | 'int8' | 'int4';

/** The order of the C++ enumeration. */
export const precisions = [
  'float32',
  'float16',
  'int8',
  'int4',
] as const satisfies readonly Precision[];

/** Precisions that safetensors files have. */
export type FilePrecision = Exclude<Precision, 'int4'>;
export const filePrecisions = [
  'float32',
  'float16',
  'int8',
] as const satisfies readonly FilePrecision[];
