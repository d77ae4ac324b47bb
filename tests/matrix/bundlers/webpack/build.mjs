// webpack's production build, all of it by default. Warnings are errors.
import webpack from 'webpack';

const compiler = webpack({
  mode: 'production',
  context: import.meta.dirname,
  entry: './index.js',
  output: { path: `${import.meta.dirname}/out` },
});
compiler.run((error, stats) => {
  if (error ?? stats.hasErrors() ?? stats.hasWarnings()) {
    console.error(error ?? stats.toString('errors-warnings'));
    process.exitCode = 1;
  }
});
