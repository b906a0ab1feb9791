import { describe, expect, test } from 'vitest';
import {
  checkWebhookUrl,
  insecureWebhookPolicy,
  strictWebhookPolicy,
} from '../../src/webhooks/webhook-policy';
import { refusalOf } from '../refusal';

const localAddresses = [
  'https://127.0.0.1/',
  'https://127.0.0.1:8443/hook',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://１２７.0.0.1/',
  'https://0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://224.0.0.1/',
  'https://localhost/',
  'https://localhost./',
  'https://LOCALHOST:4443/',
  'https://receiver.localhost/',
  'https://%6c%6f%63%61%6c%68%6f%73%74/',
];

const goodUrls: [string, string][] = [
  ['https://receiver.example/tradepost', 'https://receiver.example/tradepost'],
  ['https://receiver.example', 'https://receiver.example/'],
  ['https://RECEIVER.example:443/A?b=C', 'https://receiver.example/A?b=C'],
  ['https://receiver.example:8443/x', 'https://receiver.example:8443/x'],
  ['https://8.8.8.8/hook', 'https://8.8.8.8/hook'],
  ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
  ['https://localhost.example/', 'https://localhost.example/'],
  ['https://mylocalhost/', 'https://mylocalhost/'],
  ['https://münchen.example/straße', 'https://xn--mnchen-3ya.example/stra%C3%9Fe'],
];

describe('the URL of a webhook', () => {
  test.each(goodUrls)('%s is taken, in its normal form', (url, normal) => {
    expect(checkWebhookUrl(url, strictWebhookPolicy)).toBe(normal);
    expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(normal);
  });

  test.each(localAddresses)('%s is refused as local, unless the operator allows it', (url) => {
    const refusal = refusalOf(() => checkWebhookUrl(url, strictWebhookPolicy));
    expect(refusal).toMatchObject({ code: 'validation_failed', issues: [{ path: 'url' }] });
    expect(refusal.detail).toContain('public host');
    expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(new URL(url).href);
  });

  test('plain http is refused, unless the operator allows it', () => {
    const url = 'http://receiver.example/hook';
    const refusal = refusalOf(() => checkWebhookUrl(url, strictWebhookPolicy));
    expect(refusal.issues).toEqual([{ path: 'url', message: 'must begin with https://' }]);
    expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(url);
  });
});
