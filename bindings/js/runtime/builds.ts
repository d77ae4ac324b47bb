/** The builds of the WebAssembly core; each has a twin for several threads. */
export type Variant = 'simd' | 'relaxed-simd';

/** `WebAssembly.Module`; any object where types of WebAssembly are not there, as Node's are without those of the DOM. */
export type WasmModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : object;

/** Where a build is, its bytes, or the module compiled from it. */
export type Source = URL | ArrayBuffer | ArrayBufferView | WasmModule;

/** Those that there are. */
export type Builds = Readonly<Partial<Record<Variant | `${Variant}-threads`, () => Source>>>;
