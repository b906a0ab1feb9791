import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/main.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  // A chunk for each import(): a command loads what it needs and nothing else.
  splitting: true,
  clean: true,
});
