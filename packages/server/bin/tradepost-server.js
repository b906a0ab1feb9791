#!/usr/bin/env node
// Committed, unlike dist, so that an install before the first build can link it.
import nodeModule from 'node:module';

// Node 20 lacks this one.
nodeModule.enableCompileCache?.();
await import('../dist/program/main.js');
