import type { Socket } from 'node:net';
import fc from 'fast-check';

/** What a hostile HTTP server does with one request. */
export interface HostileResponse {
  /** The bytes of its response, in the pieces in which they are written. */
  pieces: Buffer[];
  /** What it does after the response. */
  ending: 'end' | 'reset' | 'hang';
}

const anyToken = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_.!#$%&*+^|~'),
  minLength: 1,
  maxLength: 20,
});
/** As a character of Latin-1, in which responses are written. */
const anyByte = fc.nat(255).map((code) => String.fromCharCode(code));
const names = [
  ...['Retry-After', 'retry-after', 'RETRY-AFTER', 'Content-Length', 'Transfer-Encoding'],
  ...['Connection', 'Keep-Alive', 'Upgrade', 'Trailer', 'Set-Cookie', 'Date', 'Location'],
  ...['Content-Type', 'Content-Encoding', '__proto__', 'constructor', 'hasOwnProperty'],
];
const values = [
  ...['0', '5', '-1', '1e9', '9'.repeat(30), 'chunked', 'gzip, chunked', 'close', 'keep-alive'],
  ...['timeout=0', 'h2c', 'Sun, 06 Nov 1994 08:49:37 GMT', 'soon', '', ' ', '\t5\t', '5, 5', '"'],
  ...['upgrade', 'Upgrade, close', 'websocket'],
];
const anyHeader = fc
  .tuple(
    fc.oneof(fc.constantFrom(...names), anyToken),
    fc.oneof(fc.constantFrom(...values), fc.string({ unit: anyByte, maxLength: 40 })),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([name, value, times]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}\r\n`.repeat(times));
/** Those that a parser accepts, from three digits: also those that HTTP does not have. */
const anyStatus = fc.oneof(
  fc.constantFrom('100', '101', '102', '103', '200', '204', '205', '301', '304', '400', '429'),
  fc.constantFrom('000', '001', '099', '199', '500', '503', '599', '600', '999'),
  fc.nat(999).map((status) => String(status).padStart(3, '0')),
);
const anyHead = fc
  .tuple(
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.1'),
    anyStatus,
    fc.constantFrom(' Word', '', ' '),
    fc.array(anyHeader, { maxLength: 6 }),
  )
  .map(
    ([version, status, word, headers]) => `${version} ${status}${word}\r\n${headers.join('')}\r\n`,
  );
const anyBody = fc.oneof(
  fc.constantFrom('', '0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', 'x'.repeat(20_000)),
  fc.string({ unit: anyByte, maxLength: 200 }),
);

/**
 * Any response: valid or not, whole or truncated, in pieces, several in one.
 *
 * @param endings What may follow it, with their frequencies.
 */
export function anyHostileResponse(
  ...endings: HostileResponse['ending'][]
): fc.Arbitrary<HostileResponse> {
  return fc
    .record({
      heads: fc.array(anyHead, { minLength: 1, maxLength: 2 }),
      body: anyBody,
      /** The fraction of the response that is sent; mostly all of it. */
      kept: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
      ending: fc.constantFrom(...endings),
    })
    .map(({ heads, body, kept, cuts, ending }) => {
      const whole = Buffer.from(heads.join('') + body, 'latin1');
      const bytes = whole.subarray(0, Math.round(whole.length * kept));
      const places = cuts.map((cut) => Math.round(cut * bytes.length)).sort((a, b) => a - b);
      const edges = [0, ...places, bytes.length];
      const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
      return { pieces, ending };
    });
}

/** Sends a response on a connection on which a request has arrived. */
export function sendHostileResponse(socket: Socket, { pieces, ending }: HostileResponse): void {
  const next = (index: number): void => {
    const piece = pieces[index];
    if (piece !== undefined) {
      // In its own turn, so that the other side may read it separately.
      socket.write(piece, () => setImmediate(next, index + 1));
    } else if (ending === 'end') socket.end();
    else if (ending === 'reset') socket.resetAndDestroy();
  };
  next(0);
}
