import { defineNitroConfig } from 'nitropack/config';

// The folders of Nuxt.
export default defineNitroConfig({ srcDir: 'server', compatibilityDate: '2026-11-01' });
