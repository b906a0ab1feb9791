#!/usr/bin/env node
// Committed, unlike dist, so that an install before the first build can link it.
await import('../dist/main.js');
