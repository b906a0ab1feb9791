/** Requests over a pool of connections. */
export { Agent, request } from 'undici';
