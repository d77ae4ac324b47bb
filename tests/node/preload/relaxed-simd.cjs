// Node starts with this to run modules of relaxed SIMD: Node 20 takes them behind V8's flag alone, which
// later versions no longer know.
const relaxedMultiplyAdd = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 8, 1, 0x60, 3, 0x7b, 0x7b, 0x7b, 1, 0x7b, 3, 2, 1, 0, 10,
  13, 1, 11, 0, 0x20, 0, 0x20, 1, 0x20, 2, 0xfd, 0x85, 2, 0x0b,
]);
if (!WebAssembly.validate(relaxedMultiplyAdd)) {
  require('node:v8').setFlagsFromString('--experimental-wasm-relaxed-simd');
}
