// Bundles what TypeScript declares of bindings/js (build/types) into dist/: what users can import, in one file that the
// entries share, so that a class is one type whichever entry it comes from.
import { dts } from 'rollup-plugin-dts';

const entries = ['index', 'models', 'inline', 'in-worker', 'view'];

/** Counts only before everything else; each bundled file has brought its own. */
const disposable = '/// <reference lib="esnext.disposable" preserve="true" />\n';
const referencesFirst = {
  name: 'references-first',
  renderChunk: (code) => disposable + code.replaceAll(disposable, ''),
};

export default {
  input: Object.fromEntries(entries.map((name) => [name, `build/types/${name}.d.ts`])),
  output: {
    dir: 'dist',
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].d.ts',
  },
  plugins: [dts(), referencesFirst],
  // Of a module that is not shipped, for example.
  onwarn({ message }) {
    throw new Error(message);
  },
};
