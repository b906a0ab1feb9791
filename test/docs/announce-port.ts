/**
 * Loaded before a snippet that listens: with PORT=0 the system picks a port, and this prints it
 * to stderr once connections are accepted.
 */
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  this.once('listening', () => {
    const address = this.address();
    if (typeof address === 'object') console.error(`accepting on port ${address?.port}`);
  });
  return Reflect.apply(listen, this, args);
};
