/** The jq language: jq itself, compiled to WebAssembly. */
import { setFlagsFromString } from 'node:v8';

export { loadJq } from 'jq-wasm';

// Otherwise V8 optimizes it in the background, and the process waits for that at its end.
setFlagsFromString('--liftoff-only');
