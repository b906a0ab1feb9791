/** Requests over a pool of connections. */
export { Agent, interceptors, request } from 'undici';
