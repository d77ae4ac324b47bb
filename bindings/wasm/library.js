// What C++ calls in JavaScript, for Emscripten's linker.
/* global addToLibrary, Module, HEAPU8 */
/* eslint no-unused-vars: off -- Emscripten counts the parameters. */
addToLibrary({
  // Given by bindings/js/runtime/core.ts.
  outOfMemory() {
    Module['outOfMemory']();
  },
  callFailed(code, text) {
    Module['callFailed'](code, text);
  },
  makeResult(name, shape, rank) {
    return Module['makeResult'](name, shape, rank);
  },
  takeResult(name, floats) {
    Module['takeResult'](name, floats);
  },
  printNumber(number, to) {
    const text = String(number);
    for (let i = 0; i < text.length; i++) HEAPU8[to + i] = text.charCodeAt(i);
    return text.length;
  },
  // Types that no call takes, of which Embind would bring the conversions: 1 KB of the package.
  _embind_register_bigint(_type, _name, _size, _least, _most) {},
  _embind_register_bool(_type, _name, _true, _false) {},
  _embind_register_emval(_type) {},
  _embind_register_memory_view(_type, _kind, _name) {},
  _embind_register_std_string(_type, _name) {},
  _embind_register_std_wstring(_type, _size, _name) {},
});
