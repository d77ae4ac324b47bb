/** The builds of the WebAssembly core. Each also exists for several threads. */
export type Variant = 'simd' | 'relaxed-simd';

/** `WebAssembly.Module`, or any object if no WebAssembly types are loaded, as in Node without the DOM types. */
export type WasmModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : object;

/** A build's URL, its bytes, or its compiled module. */
export type Source = URL | ArrayBuffer | ArrayBufferView | WasmModule;

/** Available builds. */
export type Builds = Readonly<Partial<Record<Variant | `${Variant}-threads`, () => Source>>>;
