// headwise as its repository gives it to C++ users: without what is built, installed or linked beside it.
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { toolchain } from '../installed.mjs';

/** A folder for users' projects, until the tests end. */
export async function makeScratch() {
  const scratch = await mkdtemp(path.join(tmpdir(), 'headwise-native-'));
  after(() => rm(scratch, { recursive: true, force: true }));
  return scratch;
}

/** What a build of the repository reads where it is part of another. */
const sources = ['CMakeLists.txt', 'LICENSE', 'THIRD_PARTY.md', 'package.json', 'cmake', 'src'];

/** A user's project: these files, and a copy of headwise's sources in the folder `headwise`. */
export async function userProject(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
  for (const source of sources) {
    cpSync(fromRoot(source), path.join(folder, 'headwise', source), { recursive: true });
  }
  return folder;
}

/** Where CMake finds packages, beside `prefixes`. */
export const packagesIn = (...prefixes) =>
  [...prefixes, ...(existsSync(toolchain) ? [toolchain] : [])].join(':');
