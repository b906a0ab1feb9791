import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server with whose API `vite` serves the console from its sources. */
const service = process.env.TRADEPOST_BASE_URL ?? 'http://127.0.0.1:4010';

export default defineConfig(({ command }) => ({
  plugins: [react()],
  // Relative, so that it works below any path prefix. The server changes those of the page by its depth.
  base: command === 'serve' ? '/console/' : './',
  server: { proxy: { '/v1': { target: service, changeOrigin: true } } },
  build: {
    // Browsers with `light-dark()`; of Firefox, the releases of the same months.
    target: ['chrome123', 'firefox124', 'safari17.5'],
    // The content security policy forbids `data:` URLs.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.json' },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
}));
