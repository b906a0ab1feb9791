import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Senders } from '../../src/http/fair-queue';
import { hashApiKey } from '../../src/kernel/api-key';

function aRequest(remoteAddress: string, authorization?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  return Object.assign(request, { headers: { authorization } });
}

test('a request is from the account of its key once that was authenticated, and otherwise from its address', () => {
  const senders = new Senders();
  const identify = (key?: string) =>
    senders.identify(aRequest('192.0.2.1', key === undefined ? key : `Bearer ${key}`));
  expect([identify('one'), identify()]).toEqual(['192.0.2.1', '192.0.2.1']);
  senders.learn(hashApiKey('one'), 'usr_1');
  senders.learn(hashApiKey('two'), 'usr_1');
  expect([identify('one'), identify('two')]).toEqual(['usr_1', 'usr_1']);
  // Otherwise a client could have any number of shares.
  expect([identify('three'), identify('four')]).toEqual(['192.0.2.1', '192.0.2.1']);
});

test('all addresses of an IPv6 subnet are one sender', () => {
  const senders = new Senders();
  const identify = (address: string) => senders.identify(aRequest(address));
  expect(identify('2001:db8:1:200::1')).toBe(identify('2001:db8:1:2ff::2'));
  expect(identify('2001:db8:1:200::1')).not.toBe(identify('2001:db8:1:300::1'));
});
