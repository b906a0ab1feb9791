/** What the engine uses of undici. In `dist` it is a file of its own, with the fix in `scripts/patches`. */
export { buildConnector, Client, type Dispatcher } from 'undici';
