// What the toolchain is made of. Clones on one machine share the folder, so whoever changes a pin
// raises the number in its name: two recipes would otherwise undo each other's work for ever.

export const toolchainName = 'toolchain-1';

export const oldestEmscripten = '3.1.69';
export const oldestCMake = '3.25';

// Emscripten 3.1.69 wants an LLVM of its own age; Debian 12, 13 and Ubuntu 24.04 all have this one.
export const llvmBin = '/usr/lib/llvm-19/bin';

/**
 * Packages taken from Debian's archive and unpacked privately, never installed. The suite is part
 * of the pin: trixie's Catch2, for one, does not link with bookworm's C++ library.
 * @typedef {{ package: string, version: string, suite: string }} Deb
 */

/** @type {Deb} */
export const emscriptenDeb = { package: 'emscripten', version: '3.1.69', suite: 'trixie' };

/** Only for wasm-emscripten-finalize; newer ones do not run with bookworm's libraries. */
export const binaryenDeb = { package: 'binaryen', version: '108', suite: 'bookworm' };

/** @type {Deb[]} */
export const libraryDebs = [
  { package: 'libxtensor-dev', version: '0.25', suite: 'trixie' },
  { package: 'libxsimd-dev', version: '13', suite: 'trixie' },
  { package: 'xtl-dev', version: '0.7', suite: 'trixie' },
  { package: 'libcatch2-dev', version: '3.7', suite: 'bookworm-backports' },
];

/** Folders of headers that em++ may see. */
export const headerFolders = ['xtensor', 'xsimd', 'xtl'];

// Of 1.6 GB, 1.2 GB are system libraries for dynamic linking, wasm workers and a file system in
// WebAssembly, and Emscripten's own tests.
const libraries = './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten';
export const leftOutOfEmscripten = [
  `${libraries}/pic`,
  `${libraries}/lto-pic`,
  `${libraries}/*-ww*.a`,
  `${libraries}/*libwasmfs*`,
  './usr/share/emscripten/test',
  './usr/share/emscripten/docs',
  './usr/share/emscripten/media',
];
