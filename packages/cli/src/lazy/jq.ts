/** The jq language: jq itself, compiled to WebAssembly. */
export { loadJq } from 'jq-wasm';
