/** The builds of the WebAssembly core; each has a twin for several threads. */
export type Variant = 'simd' | 'relaxed-simd';

/** Where a build is, its bytes, or the module compiled from it. */
export type Source = URL | BufferSource | WebAssembly.Module;

/** Those that there are. */
export type Builds = Readonly<Partial<Record<Variant | `${Variant}-threads`, () => Source>>>;
