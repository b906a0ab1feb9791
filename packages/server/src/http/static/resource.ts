import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** The forms of a body that are compressed, by their content coding. */
interface Compressed {
  gzip: Buffer;
  /** Browsers accept it over TLS alone. */
  br?: Buffer | undefined;
}

/** The codings that are offered, the best first: clients list them in any order. */
const codings = ['br', 'gzip'] as const;

/** Content that is the same for every client. It is served from memory. */
export interface Resource {
  body: Buffer;
  compressed: Compressed;
  /** A hash of the body. It is the entity tag, with a suffix for a compressed form. */
  hash: string;
  /** Such as `text/css; charset=utf-8`. */
  contentType: string;
  cacheControl: string;
}

/** Creates a resource. Compresses the body unless its compressed forms are passed. */
export function createResource(
  body: Buffer,
  headers: Pick<Resource, 'contentType' | 'cacheControl'>,
  compressed: Compressed = { gzip: gzipSync(body) },
): Resource {
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, compressed, hash, ...headers };
}

/** Sends a resource to GET or HEAD, compressed if the client accepts it; or 304 if it has the same entity tag already. */
export function sendResource(req: Request, res: Response, resource: Resource): void {
  const { body, compressed, hash } = resource;
  const coding = codings.find((one) => compressed[one] && req.acceptsEncodings(one) === one);
  res.set({
    'Content-Type': resource.contentType,
    'Cache-Control': resource.cacheControl,
    // Two forms of one resource must have different entity tags. Source: RFC 9110, section 8.8.3.3.
    ETag: coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`,
  });
  // Added to what other headers depend on, such as Origin.
  res.vary('Accept-Encoding');
  if (coding !== undefined) res.set('Content-Encoding', coding);
  res.send((coding && compressed[coding]) ?? body);
}

/** Returns a function that loads a value when it is first called, and again after a failure. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
