import { defineConfig, type Options } from 'tsup';

/** Leaves what a command needs to the moment that it is run: files of the other build. */
const leaveForLater: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'leave-for-later',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(commands\/|report-error$)/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `${path}.js`, external: true } : undefined,
    );
  },
};

const both: Options = {
  target: 'node20',
  platform: 'node',
  // Nothing is installed beside it: what it is made of was tested together, and starts faster so.
  noExternal: [/./],
};

export default defineConfig([
  {
    ...both,
    // CommonJS, since the loader of ES modules alone takes as long as all of this.
    entry: ['src/main.ts'],
    format: ['cjs'],
    splitting: false,
    esbuildPlugins: [leaveForLater],
  },
  {
    ...both,
    entry: ['src/commands/**/*.ts', 'src/report-error.ts'],
    format: ['esm'],
    // A chunk for each import(): a command loads what it needs and nothing else.
    splitting: true,
  },
]);
