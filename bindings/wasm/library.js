// What C++ calls in JavaScript, for Emscripten's linker; see bindings/js/runtime/embind.ts.
addToLibrary({
  outOfMemory() {},
});
