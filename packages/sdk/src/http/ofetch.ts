/**
 * The part of ofetch that the client uses: its entry for browsers, which uses the `fetch` of the runtime. It
 * is built into a file of its own, which the client loads with its first request.
 */
export { createFetch } from 'ofetch';
