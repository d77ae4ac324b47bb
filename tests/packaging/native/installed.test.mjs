// Projects that use what `cmake --install` and `cpack` make of build/native. Needs build/native.
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { filesIn, fromRoot } from '../lib/project.mjs';
import { guide, installNative, run, scratch } from './users.mjs';
import { shell, strict, writeProject } from './users.mjs';

const prefix = await installNative();
const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));

/** Documents in C++, and what a fragment takes as given. Without that they have whole programs. */
const givens = {
  'docs/guides/chapter.md': undefined,
  'docs/head-importance.md':
    'headwise::Transformer& model, headwise::Tokens tokens, headwise::Tokens targets, headwise::Tokens source, headwise::ValidLens lens',
  'docs/models.md': 'const std::string& config_json',
  'docs/options.md': '',
  'docs/pruning.md': '',
};

/** The code of a document, fragments as functions. */
function codesOf(document, given) {
  const text = readFileSync(fromRoot(document), 'utf8');
  const codes = [...text.matchAll(/```cpp\n(.*?)```/gs)].map(([, code]) => code);
  assert.equal(codes.length, given === undefined ? 2 : 1, document);
  if (given === undefined) return codes;
  return `#include <headwise/headwise.hpp>
#include <string>
void fragment(${given});
void fragment(${given}) {\n${codes[0]}}\n`;
}

test('find_package: programs and fragments of the documents build without warnings, and run', async () => {
  const fragments = Object.fromEntries(
    Object.entries(givens)
      .flatMap(([document, given]) => codesOf(document, given))
      .map((code, i) => [`fragment${i}.cpp`, code]),
  );
  const folder = writeProject('finding', {
    ...fragments,
    'main.cpp': guide.program,
    'CMakeLists.txt': `${guide.find}
add_library(fragments OBJECT ${Object.keys(fragments).join(' ')})
target_link_libraries(fragments PRIVATE headwise::headwise)
# A fragment leaves its results to the reader's code.
target_compile_options(fragments PRIVATE -Wno-unused-variable -Wno-conversion -Wno-shadow)
`,
  });
  const env = { CMAKE_PREFIX_PATH: prefix, CXXFLAGS: strict };
  const lines = guide.build.replace('=Release', '=Debug');
  const printed = await shell(lines, folder, env);
  assert.ok(printed.endsWith(guide.prints), printed);
});

test('the guide asks for this version', () => {
  const [major, minor] = version.split('.');
  assert.match(guide.find, new RegExp(`find_package\\(headwise ${major}\\.${minor} CONFIG`));
  assert.match(guide.fetched, new RegExp(`GIT_TAG v${version}$`, 'm'));
});

test('cpack: the archive has the installed files, and none names the build folder', async () => {
  const folder = writeProject('archive', { 'build/empty': '' });
  const unpacked = join(folder, 'un packed');
  const config = fromRoot('build/native/CPackConfig.cmake');
  const lines = guide.archive.replace('build/headwise/CPackConfig.cmake', config);
  await shell(lines, folder, { PREFIX: unpacked });

  const held = filesIn(unpacked);
  assert.deepEqual(held, filesIn(prefix));
  for (const file of held.filter((name) => /\.(cmake|pc|hpp)$/.test(name))) {
    const text = readFileSync(join(unpacked, file), 'utf8');
    assert.ok(!text.includes(fromRoot('.')), `${file} names the folder of the build`);
  }
});

test('pkg-config: the lines of the guide build and run, also after the folder was moved', async () => {
  const moved = join(scratch, 'moved');
  await run('cmake', ['--install', fromRoot('build/native'), '--prefix', `${moved}-from`]);
  renameSync(`${moved}-from`, moved);
  const folder = writeProject('pkg-config', { 'main.cpp': guide.program });
  const lines = guide.pkgConfig.replace('-O2', '-O0');
  assert.equal(await shell(lines, folder, { PREFIX: moved }), guide.prints);

  const env = { PKG_CONFIG_PATH: `${moved}/lib/pkgconfig` };
  assert.equal((await shell('pkg-config --modversion headwise', folder, env)).trim(), version);
});

for (const [name, libraries] of [
  ['deep', 'lib/x86_64-linux-gnu'],
  ['absolute', join(scratch, 'elsewhere/lib')],
]) {
  test(`pkg-config: a library folder that is ${name} leads to the same headers`, async () => {
    const to = join(scratch, name);
    const source = writeProject(`${name}-source`, {
      'CMakeLists.txt': `cmake_minimum_required(VERSION 3.25)
project(headwise VERSION ${version} LANGUAGES NONE)
file(WRITE "\${PROJECT_BINARY_DIR}/headwise.cpp" "")
set(CMAKE_INSTALL_LIBDIR "${libraries}")
set(CMAKE_INSTALL_INCLUDEDIR include)
set(CMAKE_INSTALL_DOCDIR share/doc/headwise)
include("${fromRoot('cmake/pkg_config.cmake')}")`,
    });
    const build = join(source, 'build');
    await run('cmake', ['-S', source, '-B', build, `-DCMAKE_INSTALL_PREFIX=${to}`]);
    await run('cmake', ['--install', build]);
    const env = { PKG_CONFIG_PATH: resolve(to, libraries, 'pkgconfig') };
    const variable = async (which) =>
      resolve((await shell(`pkg-config --variable=${which} headwise`, source, env)).trim());
    assert.equal(await variable('includedir'), join(to, 'include'));
    assert.equal(await variable('libdir'), resolve(to, libraries));
  });
}
