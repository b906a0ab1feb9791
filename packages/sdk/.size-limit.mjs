/**
 * How much of the SDK a page downloads: bundled by esbuild for the browser, minified and gzipped (the
 * client's figures include ofetch, which is part of it). A kB is 1,000 bytes; size-limit subtracts the 46 bytes
 * of an empty bundle.
 *
 * Bundlers put code that is loaded by `import()` into separate files. The figures include these files,
 * except those "at start": they count what a page loads before it calls anything. "As one file" is how
 * Rollup, Vite and webpack bundle it, and what the documentation promises; "as esbuild splits it" counts
 * several small files with their imports. It also detects static imports between our files, which would
 * keep bundlers from loading them on demand.
 */
import { resolve } from 'node:path';

/** Bundles like an application with code splitting. */
function split(settings) {
  return { ...settings, format: 'esm', splitting: true, logLevel: 'error' };
}

/** Bundles with code splitting, and does not count what is loaded later. */
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
    // Iterating a set includes items that are added during the iteration.
    for (const file of loaded) {
      for (const { path, kind } of outputs[file].imports) {
        if (kind === 'import-statement') loaded.add(path);
      }
    }
    for (const file of Object.keys(outputs)) if (!loaded.has(file)) delete outputs[file];
  });
}

/** Bundles for Node, into one file. */
function forNode(settings) {
  return { ...settings, platform: 'node', format: 'cjs', logLevel: 'error' };
}

/** Bundles only what is loaded at start, into one file. */
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
const testingReceivers =
  '{ deliveryEdgeCases, deliveryFaults, edgeCaseDelivery, exampleSecret, invalidDelivery, sampleEvent, signDelivery }';

export default [
  figure('client at start', 'index', '{ Tradepost }', '8.3 kB', atStart),
  figure('client at start, all that it exports', 'index', '*', '9.4 kB', atStart),
  // These limits keep the size that was reached. The goal is 13 kB.
  figure('client', 'index', '{ Tradepost }', '19.4 kB'),
  figure('client, all that it exports', 'index', '*', '20.3 kB'),
  figure('client for Node, in one file', 'index', '{ Tradepost }', '17.8 kB', forNode),
  figure('verifyWebhook at start, as one file', 'webhooks', verifyWebhook, '2.1 kB', atStart),
  figure(
    'verifyWebhook at start, as esbuild splits it',
    'webhooks',
    verifyWebhook,
    '2.1 kB',
    atStartSplit,
  ),
  figure('verifyWebhook', 'webhooks', verifyWebhook, '10.8 kB'),
  // With the error messages twice, because verifyWebhookSync cannot load them on demand.
  figure('webhooks, all that it exports', 'webhooks', '*', '20.1 kB'),
  figure('explain', 'explain', '{ explainDelivery, explainWebhook }', '4.2 kB'),
  figure('explain, all that it exports', 'explain', '*', '5.9 kB'),
  // What those who test a receiver import. Its limit shows that bundlers leave out the mock, with the client, and the probe.
  figure('testing, without the mock', 'testing', testingReceivers, '3 kB', atStart),
  figure('testing, all that it exports', 'testing', '*', '144.2 kB'),
  figure('validate', 'validate', '*', '42.7 kB'),
];
