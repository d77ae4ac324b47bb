// The package in Vite, built and served for development.
import { documented, htmlPage, main, servesFiles } from './lib/bundlers.mjs';
import { tryApplication, writeApplication } from './lib/bundlers.mjs';
import { shell, startServer } from './lib/processes.mjs';

const [configuration] = documented('Vite', 'js');
const files = {
  'index.html': htmlPage('<script type="module" src="/main.js"></script>'),
  'main.js': main,
};

tryApplication('vite build', {
  serve: servesFiles(async () => {
    const folder = writeApplication('vite-build', files);
    await shell('vite build', folder);
    return `${folder}/dist`;
  }),
});

tryApplication('vite', {
  loadsAll: true,
  serve(isIsolated) {
    const configured = isIsolated ? { 'vite.config.js': configuration } : {};
    const folder = writeApplication(`vite-${isIsolated}`, { ...files, ...configured });
    return startServer('vite --port PORT --strictPort', folder);
  },
});
