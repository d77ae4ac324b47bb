import { loadNpy, loadSafetensors } from 'headwise';

import { cutTo } from '../../format/sentences.js';
import { maxNameLength, readNumbers, type UserFile, userTensors } from './user-data.js';
import { words } from './words.js';

/** Enough for the largest tensors, also as text. */
const maxMegabytes = 2;

/** What the file chooser offers. */
export const fileKinds = '.npy,.safetensors,.json,.csv,.txt';

/**
 * Reads a file of queries, keys and values.
 *
 * @throws Error that says what was expected
 */
export async function readUserFile(file: File): Promise<UserFile> {
  const name = cutTo(file.name, maxNameLength);
  const megabytes = file.size / 2 ** 20;
  if (megabytes > maxMegabytes) throw new Error(words.user.tooLarge(megabytes, maxMegabytes));
  if (/\.(?:json|csv|tsv|txt)$/i.test(file.name)) {
    return { name, ...readNumbers(await file.text()) };
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  // NumPy files begin with a magic number; safetensors files are known by their extension.
  if (bytes[0] === 0x93) return { name, ...userTensors({ queries: loadNpy(bytes) }) };
  if (!/\.safetensors$/i.test(file.name)) throw new Error(words.user.unknownFile(file.name));
  return { name, ...userTensors(loadSafetensors(bytes).tensors) };
}
