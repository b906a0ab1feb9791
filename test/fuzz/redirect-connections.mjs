/**
 * Loaded before a server whose webhooks have generated URLs, so that none of their deliveries leaves this machine. Without
 * `TEST_RECEIVER_PORTS` all connections fail; with it (`HTTP,HTTPS`), all go to the receivers on these ports of loopback.
 */
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const ports = process.env.TEST_RECEIVER_PORTS?.split(',').map(Number);
const connect = Socket.prototype.connect;

Socket.prototype.connect = function connectToReceiver(...args) {
  if (ports === undefined) {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    process.nextTick(() => this.destroy(error));
    return this;
  }
  const port = ports[this instanceof TLSSocket ? 1 : 0];
  // `net.connect` passes its normalized arguments as one array.
  const callback = (Array.isArray(args[0]) ? args[0] : args).find(
    (arg) => typeof arg === 'function',
  );
  return connect.call(this, { host: '127.0.0.1', port }, callback);
};
