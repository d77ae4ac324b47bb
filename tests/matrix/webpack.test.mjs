// The package in webpack, built and served for development.
import { documented, htmlPage, main, servesFiles } from './lib/bundlers.mjs';
import { tryApplication, writeApplication } from './lib/bundlers.mjs';
import { shell, startServer } from './lib/processes.mjs';

const [configuration] = documented('webpack', 'js');
const page = htmlPage('<script src="main.js"></script>');
const files = { 'src/index.js': main.replace('./shared', '../shared') };

tryApplication('webpack', {
  serve: servesFiles(async () => {
    const folder = writeApplication('webpack', { ...files, 'dist/index.html': page });
    await shell('webpack --mode production', folder);
    return `${folder}/dist`;
  }),
});

tryApplication('webpack serve', {
  serve(isIsolated) {
    const configured = isIsolated ? { 'webpack.config.js': configuration } : {};
    const folder = writeApplication(`webpack-${isIsolated}`, {
      ...files,
      ...configured,
      'public/index.html': page,
    });
    return startServer('webpack serve --mode development --port PORT --no-open', folder);
  },
});
