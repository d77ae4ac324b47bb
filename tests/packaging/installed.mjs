import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../scripts/lib/files.mjs';

/** Who uses headwise brings an xtensor; here it lies where set-up has put it, or where compilers look. */
export const toolchain = fromRoot('.toolchain/prefix');

/** What `cmake --install` leaves of build/native, until the tests end, in a folder with room for more. */
export async function install() {
  const scratch = await mkdtemp(path.join(tmpdir(), 'headwise-install-'));
  after(() => rm(scratch, { recursive: true, force: true }));
  const prefix = path.join(scratch, 'prefix');
  await promisify(execFile)('cmake', [
    ...['--install', fromRoot('build/native'), '--prefix', prefix],
  ]);
  return { scratch, prefix };
}
