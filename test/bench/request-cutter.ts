const endOfHead = Buffer.from('\r\n\r\n');
const lengthHeader = /^content-length:[ \t]*(\d+)[ \t]*$/im;

/**
 * Splits the bytes of one connection into requests: a head, and a body of `Content-Length` bytes. It supports only
 * the part of HTTP/1.1 that deliveries need, so that the receiver uses little processor time.
 */
export class RequestCutter {
  #rest: Buffer | null = null;

  /**
   * Takes what arrived and returns the bodies of the requests that are whole now.
   *
   * @throws Error for a request without `Content-Length`.
   */
  push(chunk: Buffer): Buffer[] {
    let bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    const bodies: Buffer[] = [];
    for (;;) {
      const headEnds = bytes.indexOf(endOfHead);
      if (headEnds === -1) break;
      const length = lengthHeader.exec(bytes.toString('latin1', 0, headEnds))?.[1];
      if (length === undefined) throw new Error('A request came without Content-Length.');
      const bodyStarts = headEnds + endOfHead.length;
      const bodyEnds = bodyStarts + Number(length);
      if (bytes.length < bodyEnds) break;
      bodies.push(bytes.subarray(bodyStarts, bodyEnds));
      bytes = bytes.subarray(bodyEnds);
    }
    this.#rest = bytes.length === 0 ? null : bytes;
    return bodies;
  }
}
