import type { IncomingMessage } from 'node:http';
import { ipKeyGenerator } from 'express-rate-limit';
import { hashApiKey } from '../kernel/api-key';

/** One client may have all addresses of an IPv6 subnet of this size. */
const subnetBits = 56;
/** How many keys are remembered. */
const maxKnown = 10_000;

/**
 * Names who sends a request before it is authenticated, so that the senders can share the admission queue fairly: the account of
 * its key, if a request with that key was authenticated before, and otherwise the address. What is not a valid key gets no share
 * of its own, or a client could have any number of them.
 */
export class Senders {
  /** The accounts of valid keys, by the SHA-256 of each. */
  readonly #accounts = new Map<string, string>();

  /** Remembers the account of a valid key. */
  readonly learn = (keyHash: string, accountId: string): void => {
    if (this.#accounts.get(keyHash) === accountId) return;
    if (this.#accounts.size >= maxKnown) this.#accounts.clear();
    this.#accounts.set(keyHash, accountId);
  };

  /** Returns the account or the address that a request is from; with IPv6 the subnet. */
  readonly identify = ({ headers, socket }: IncomingMessage): string => {
    const [, key] = /^Bearer +(\S+)/i.exec(headers.authorization ?? '') ?? [];
    const account = key === undefined ? undefined : this.#accounts.get(hashApiKey(key));
    return account ?? ipKeyGenerator(socket.remoteAddress ?? '', subnetBits);
  };
}
