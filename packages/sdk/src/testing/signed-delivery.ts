/** A delivery that is ready to be sent to a receiver. */
export interface SignedDelivery {
  /** The raw body. */
  body: Uint8Array<ArrayBuffer>;
  /** The headers, in the spelling that the service sends them in. */
  headers: Record<string, string>;
  /** What `fetch` takes beside the URL: `fetch(url, delivery.init)`. */
  init: { method: 'POST'; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> };
  /** A web `Request` to a URL of your choice, a new one at each call. */
  toRequest(url: string | URL): Request;
}

/** Makes a delivery of a body and its headers. */
export function deliveryOf(
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): SignedDelivery {
  const init = { method: 'POST' as const, headers, body };
  return { body, headers, init, toRequest: (url) => new Request(url, init) };
}
