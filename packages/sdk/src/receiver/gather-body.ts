import { joined } from '../webhooks/joined';
import { bodyTooLarge } from './raw-body-faults';

/** Gathers a body in pieces, up to a limit. */
export interface BodyGatherer {
  /**
   * Takes the next piece.
   *
   * @throws {WebhookVerificationError} `BODY_TOO_LARGE` when it is one too many.
   */
  add(piece: Uint8Array): void;
  /** All pieces in one. */
  whole(): Uint8Array;
}

/**
 * Makes a gatherer of a body that may have `limit` bytes. What says that it is larger is refused at
 * once.
 *
 * @param declared the header `Content-Length`, if there is one
 * @throws {WebhookVerificationError} `BODY_TOO_LARGE`
 */
export function gatherBody(limit: number, declared: unknown): BodyGatherer {
  if (Number(declared) > limit) throw bodyTooLarge(limit);
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    add(piece) {
      length += piece.length;
      if (length > limit) throw bodyTooLarge(limit);
      pieces.push(piece);
    },
    whole: () => joined(pieces),
  };
}
