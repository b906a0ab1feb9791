#!/usr/bin/env node
// Committed, unlike dist, so that an install before the first build can link it.
import * as nodeModule from 'node:module';

// Node 20 lacks this one: an import by name would crash there.
nodeModule.enableCompileCache?.();
await import('../dist/main.js');
