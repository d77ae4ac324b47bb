// Loaded before anything else, it makes an engine answer as one without relaxed SIMD does, whose
// later versions have no flag for it.
const { validate } = WebAssembly;

/** Whether the bytes of a module hold a relaxed instruction: 0xfd, then 0x100 to 0x113 as LEB128. */
const isRelaxed = (bytes) =>
  bytes.some(
    (byte, i) =>
      byte === 0xfd && bytes[i + 1] >= 0x80 && bytes[i + 1] <= 0x93 && bytes[i + 2] === 0x02,
  );

const bytesOf = (source) =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);

WebAssembly.validate = (source) => validate(source) && !isRelaxed(bytesOf(source));
