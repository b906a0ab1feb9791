/**
 * How much of the SDK a page downloads: bundled by esbuild for the browser, minified and gzipped, with
 * all that it depends on (ofetch is a part of the client's figures). A kB is 1,000 bytes; size-limit takes
 * off the 46 bytes that a bundle of nothing has.
 *
 * What is loaded by `import()`, only when it is needed, a bundler puts into files of its own. Figures
 * count these too, unless they say "at start": that is what a page loads before it calls anything.
 * "As one file" is how Rollup, Vite and webpack put it together, and what the promise is about; "as
 * esbuild splits it" counts several small files and their seams. It also shows a build of ours that
 * ties the one to the other: then no bundler could keep apart what is loaded later.
 */
import { resolve } from 'node:path';

/** Bundles as an application does that splits its code. */
function split(settings) {
  return { ...settings, format: 'esm', splitting: true, logLevel: 'error' };
}

/** Bundles likewise, and leaves out of the count what is loaded later. */
function atStartSplit(settings) {
  return { ...split(settings), plugins: [{ name: 'at-start', setup: countWhatIsLoadedAtStart }] };
}

function countWhatIsLoadedAtStart(build) {
  build.onEnd(({ metafile }) => {
    if (metafile === undefined) return;
    const { outputs } = metafile;
    const [entry] = build.initialOptions.entryPoints.map((path) => resolve(path));
    const isEntry = ([, { entryPoint }]) => entryPoint && resolve(entryPoint) === entry;
    const loaded = new Set(Object.entries(outputs).find(isEntry).slice(0, 1));
    // A set hands out what is added to it while it is walked.
    for (const file of loaded) {
      for (const { path, kind } of outputs[file].imports) {
        if (kind === 'import-statement') loaded.add(path);
      }
    }
    for (const file of Object.keys(outputs)) if (!loaded.has(file)) delete outputs[file];
  });
}

/** Bundles what is loaded at start into one file, and nothing else. */
function atStart(settings) {
  return { ...split(settings), plugins: [{ name: 'later', setup: leaveOutWhatIsLoadedLater }] };
}

function leaveOutWhatIsLoadedLater(build) {
  build.onResolve({ filter: /^/ }, ({ kind, path }) =>
    kind === 'dynamic-import' ? { path, external: true } : undefined,
  );
}

function figure(name, entry, imports, limit, modifyEsbuildConfig = split) {
  return {
    name,
    path: `dist/${entry}.js`,
    import: imports,
    limit,
    gzip: true,
    modifyEsbuildConfig,
  };
}

const verifyWebhook = '{ verifyWebhook }';

export default [
  figure('client at start', 'index', '*', '10 kB', atStart),
  // The goal was 10 kB with ofetch too, of which ofetch takes 3.8: these two hold what was reached.
  figure('client', 'index', '{ Tradepost }', '12 kB'),
  figure('client, all that it exports', 'index', '*', '12.5 kB'),
  figure('verifyWebhook at start, as one file', 'webhooks', verifyWebhook, '1.5 kB', atStart),
  figure(
    'verifyWebhook at start, as esbuild splits it',
    'webhooks',
    verifyWebhook,
    '1.5 kB',
    atStartSplit,
  ),
  figure('verifyWebhook', 'webhooks', verifyWebhook, '8.6 kB'),
  // With the words for a refusal twice: verifyWebhookSync cannot wait for them.
  figure('webhooks, all that it exports', 'webhooks', '*', '15 kB'),
  figure('testing, all that it exports', 'testing', '*', '3 kB'),
  figure('validate', 'validate', '*', '36 kB'),
];
