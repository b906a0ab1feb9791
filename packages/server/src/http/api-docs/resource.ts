import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** Content that is the same for every client. It is served from memory. */
export interface Resource {
  body: Buffer;
  /** The body, compressed with gzip. */
  compressed: Buffer;
  /** A hash of the body. It is the entity tag, with a suffix for the compressed form. */
  hash: string;
  /** Such as `text/css; charset=utf-8`. */
  contentType: string;
  cacheControl: string;
}

/** Creates a resource. Compresses the body unless its compressed form is passed. */
export function createResource(
  body: Buffer,
  headers: Pick<Resource, 'contentType' | 'cacheControl'>,
  compressed: Buffer = gzipSync(body),
): Resource {
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, compressed, hash, ...headers };
}

/**
 * Sends a resource to GET or HEAD, compressed if the client accepts gzip; or 304 if it has the same entity tag already. gzip
 * alone, because browsers accept no brotli over plain HTTP.
 */
export function sendResource(req: Request, res: Response, resource: Resource): void {
  const isCompressed = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  res.set({
    'Content-Type': resource.contentType,
    'Cache-Control': resource.cacheControl,
    // Two forms of one resource must have different entity tags. Source: RFC 9110, section 8.8.3.3.
    ETag: isCompressed ? `"${resource.hash}-gzip"` : `"${resource.hash}"`,
  });
  // Added to what other headers depend on, such as Origin.
  res.vary('Accept-Encoding');
  if (isCompressed) res.set('Content-Encoding', 'gzip');
  res.send(isCompressed ? resource.compressed : resource.body);
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
