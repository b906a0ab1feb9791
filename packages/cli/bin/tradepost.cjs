#!/usr/bin/env node
// Committed, unlike dist, so that an install before the first build can link it.
const nodeModule = require('node:module');

// Node 20 lacks this one.
nodeModule.enableCompileCache?.();
require('../dist/main.cjs');
