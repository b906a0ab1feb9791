/**
 * Loaded into a server by NODE_OPTIONS, also into its threads: at its end, each thread writes to stderr how many modules of
 * OpenTelemetry it had loaded.
 */
const { writeSync } = require('node:fs');
const { Session } = require('node:inspector');
const { isMainThread } = require('node:worker_threads');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true });

process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const loaded = result.filter(({ url }) => url.includes('@opentelemetry')).length;
    const thread = isMainThread ? 'main' : 'other';
    writeSync(2, `\nmodules of OpenTelemetry in the ${thread} thread: ${loaded}\n`);
  });
});
