import { describe, expect, it } from 'vitest';
import { RequestCutter } from './request-cutter';

const post = (body: string, header = 'content-length') =>
  `POST /hook HTTP/1.1\r\nHost: x\r\n${header}: ${Buffer.byteLength(body)}\r\nA: b\r\n\r\n${body}`;

const cutAll = (cutter: RequestCutter, chunks: readonly Buffer[]) =>
  chunks.flatMap((chunk) => cutter.push(chunk)).map(String);

describe('a request cutter', () => {
  it('finds the same bodies wherever the stream is cut in two', () => {
    const bodies = ['{"say":"naïve"}', '', '\r\n\r\nnot a head'];
    const bytes = Buffer.from(bodies.map((body) => post(body)).join(''));
    for (let at = 0; at <= bytes.length; at += 1) {
      const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(cutAll(new RequestCutter(), chunks)).toEqual(bodies);
    }
  });

  it('finds them byte by byte', () => {
    const bytes = Buffer.from(post('one') + post('two', 'Content-Length'));
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    expect(cutAll(new RequestCutter(), chunks)).toEqual(['one', 'two']);
  });

  it('rejects a request without a length', () => {
    const chunked = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(() => new RequestCutter().push(Buffer.from(chunked))).toThrow('Content-Length');
  });
});
