// Files that loadSafetensors reads in parts, which note the parts or misbehave.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './child.mjs';

/** A Blob that notes which parts of it are read, `[begin, end]`. */
export function countedBlob(bytes) {
  const blob = new Blob([bytes]);
  const parts = [];
  const slice = (begin, end) => ({
    arrayBuffer() {
      parts.push([begin, end]);
      return blob.slice(begin, end).arrayBuffer();
    },
  });
  return { parts, size: blob.size, slice };
}

/** A file handle that notes which parts are read, and gives at most `most` bytes at a time. */
export function countedHandle(handle, most = Infinity) {
  const parts = [];
  return {
    parts,
    stat: () => handle.stat(),
    async read(buffer, offset, length, position) {
      const { bytesRead } = await handle.read(buffer, offset, Math.min(length, most), position);
      parts.push([position, position + bytesRead]);
      return { bytesRead };
    },
  };
}

export const bytesIn = (parts) => parts.reduce((sum, [begin, end]) => sum + end - begin, 0);

/** A new file of these bytes, open for reading and writing until the test ends. */
export async function openFile(test, bytes) {
  const handle = await open(join(temporaryFolder(test), 'file'), 'w+');
  test.after(() => handle.close());
  await handle.write(bytes);
  return handle;
}

/** A handle on bytes in memory, whose methods may be replaced. */
export function handleOn(bytes, replaced = {}) {
  return {
    stat: async () => ({ size: bytes.length }),
    async read(buffer, offset, length, position) {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return { bytesRead: part.length };
    },
    ...replaced,
  };
}
