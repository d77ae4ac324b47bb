/** @type {import('vite').UserConfig} */
export default {
  // Vite bundles workers as scripts by default. This one is a module that imports headwise.
  worker: { format: 'es' },
};
