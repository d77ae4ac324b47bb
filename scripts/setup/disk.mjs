// Whether there is room, asked before anything is downloaded.
import fs from 'node:fs';
import path from 'node:path';
import { SetupError } from './errors.mjs';

const megabyte = 1e6;

// Downloads and what is unpacked from them; the downloads go when all is done.
const toolchainNeeds = 1400 * megabyte;
// The largest set of packages (LLVM and three browsers), unpacked, and their downloads.
const systemNeeds = 2300 * megabyte;

/** @param {string} folder */
function nearestExisting(folder) {
  while (!fs.existsSync(folder)) folder = path.dirname(folder);
  return folder;
}

/**
 * @param {{ folder: string, bytes: number }[]} wishes
 * @param {{ free(folder: string): number, device(folder: string): number }} [disk]
 */
export function checkSpace(wishes, disk = realDisk) {
  /** @type {Map<number, { folder: string, bytes: number }>} */
  const byDevice = new Map();
  for (const { folder, bytes } of wishes) {
    const there = nearestExisting(folder);
    const device = disk.device(there);
    const sum = (byDevice.get(device)?.bytes ?? 0) + bytes;
    byDevice.set(device, { folder: there, bytes: sum });
  }
  for (const { folder, bytes } of byDevice.values()) {
    const free = disk.free(folder);
    if (free >= bytes) continue;
    const show = (/** @type {number} */ value) => `${(value / 1e9).toFixed(1)} GB`;
    throw new SetupError(
      `the disk is full: ${folder} has ${show(free)} free of ${show(bytes)} needed`,
    );
  }
}

const realDisk = {
  free(/** @type {string} */ folder) {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  },
  device: (/** @type {string} */ folder) => fs.statSync(folder).dev,
};

/**
 * @param {string} folder the toolchain folder
 * @param {import('./survey.mjs').Need[]} missing
 */
export function wishesFor(folder, missing) {
  return [
    ...(missing.some((need) => need.step) ? [{ folder, bytes: toolchainNeeds }] : []),
    ...(missing.some((need) => need.package) ? [{ folder: '/usr', bytes: systemNeeds }] : []),
  ];
}
