import { describe, expect, test } from 'vitest';
import { allEventTypes, createWebhookSchema } from '../../src/index';
import { listIssues } from '../helpers/issues';

const ofUrl = (url: unknown) => listIssues(createWebhookSchema, { url, events: ['order.created'] });
const ofEvents = (events: unknown) =>
  listIssues(createWebhookSchema, { url: 'https://receiver.example', events });

describe('the url of a webhook', () => {
  test.each([
    ['https://receiver.example'],
    ['https://receiver.example:8443/hooks/tradepost?tenant=7&x=%20'],
    ['HTTPS://Receiver.Example/'],
    ['https://münchen.example/bestellungen'],
    ['https://[2001:db8::1]/'],
    ['https://receiver.example/a@b'],
  ])('may be %s', (url) => {
    expect(ofUrl(url)).toEqual([]);
    expect(createWebhookSchema.parse({ url, events: ['order.created'] }).url).toBe(url);
  });

  test('may be http in the contract: the server decides', () => {
    expect(ofUrl('http://127.0.0.1:4011/hooks')).toEqual([]);
  });

  test.each([
    ['receiver.example'],
    ['/hooks'],
    ['//receiver.example'],
    ['https:receiver.example'],
    ['https://'],
    ['https:///a'],
    ['https:///receiver.example/a'],
    ['https://?a=1'],
    ['https:\\\\receiver.example'],
    ['https://:443'],
    ['https://receiver.example:99999'],
    ['https://receiver example'],
    [' https://receiver.example'],
    ['https://receiver.example/\n'],
    ['https://receiver.example/a\tb'],
    ['ftp://receiver.example'],
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['wss://receiver.example'],
    [''],
    [7],
    [null],
  ])('rejects %j', (url) => {
    expect(ofUrl(url)).toEqual([
      'url: must be an absolute https:// URL of at most 2048 characters',
    ]);
  });

  test.each([['https://receiver.example/%zz'], ['https://receiver.example/?q=100%']])(
    'must have two hexadecimal digits after each %%: %s',
    (url) => {
      expect(ofUrl(url)).toEqual([
        'url: must have two hexadecimal digits after each %; write the character % as %25',
      ]);
    },
  );

  test('has 2,048 characters at most', () => {
    const longest = 'https://receiver.example/'.padEnd(2048, 'a');
    expect(ofUrl(longest)).toEqual([]);
    expect(ofUrl(`${longest}a`)).toHaveLength(1);
  });

  test.each([['https://me:secret@receiver.example'], ['https://me@receiver.example']])(
    'may not contain credentials: %s',
    (url) => {
      expect(ofUrl(url)).toEqual([
        'url: must not contain credentials: deliveries are authenticated by their signature',
      ]);
    },
  );

  test('rejects a fragment', () => {
    expect(ofUrl('https://receiver.example/#orders')).toEqual([
      'url: must not have a fragment: it is never sent',
    ]);
  });
});

describe('the events of a webhook', () => {
  test('accept any of the event types, up to all of them', () => {
    for (const kind of allEventTypes) expect(ofEvents([kind])).toEqual([]);
    expect(ofEvents([...allEventTypes])).toEqual([]);
  });

  test('require at least one event type', () => {
    expect(ofEvents([])).toEqual(['events: must have at least one event type']);
  });

  test('reject a repeated event type', () => {
    const expected = ['events: must have each event type only once'];
    expect(ofEvents(['order.created', 'order.created'])).toEqual(expected);
    expect(ofEvents([...allEventTypes, 'order.created'])).toEqual(expected);
  });

  test('reject an unknown event type and report its position', () => {
    expect(ofEvents(['order.created', 'order.deleted'])).toEqual([
      `events.1: must be one of ${allEventTypes.join(', ')}`,
    ]);
    expect(ofEvents(['*'])).toHaveLength(1);
  });

  test.each([['order.created'], [null], [{ 0: 'order.created' }]])('reject %j', (events) => {
    expect(ofEvents(events)).toEqual(['events: must be a list of event types']);
  });
});

describe('the settings of a webhook', () => {
  const issuesOf = (settings: object) =>
    listIssues(createWebhookSchema, {
      url: 'https://receiver.example',
      events: ['order.created'],
      ...settings,
    });

  test.each([
    [{ description: null, headers: {}, attemptsPerMinute: null }],
    [{ description: 'Warehouse in Leith', attemptsPerMinute: 1 }],
    [{ description: 'é'.repeat(200), attemptsPerMinute: 60_000 }],
    [{ headers: { Authorization: 'Bearer a b', 'x-tenant': '7', Cookie: 'a=1' } }],
    [{ headers: { 'X-Key': 'k'.repeat(1_000) } }],
  ])('may be %j', (settings) => {
    expect(issuesOf(settings)).toEqual([]);
  });

  test.each(['', ' a', 'a\nb', 'a'.repeat(201), 'a\u202eb', 7])(
    'have no description like %j',
    (description) => {
      expect(issuesOf({ description })).toEqual([
        expect.stringMatching(/^description: must be null, or 1 to 200 characters on one line/),
      ]);
    },
  );

  test.each([0, 60_001, 1.5, '5'])('have no limit of attempts like %j', (attemptsPerMinute) => {
    expect(issuesOf({ attemptsPerMinute })).toEqual([
      'attemptsPerMinute: must be null, or an integer from 1 to 60000',
    ]);
  });

  test.each([
    ...['Host', 'content-length', 'Connection', 'Transfer-Encoding', 'TE', 'Keep-Alive'],
    ...['Proxy-Authorization', 'Content-Type', 'User-Agent', 'Service-Signature', 'webhook-id'],
    ...['Tradepost-Test', 'traceparent', 'Upgrade', 'Trailer', 'Expect'],
  ])('have no header %s', (name) => {
    expect(issuesOf({ headers: { [name]: 'x' } })).toEqual([
      `headers.${name}: must not be set: the service sets it, or it is about the connection`,
    ]);
  });

  test.each(['', 'a b', 'a:b', 'é', 'a\r\nb', 'x'.repeat(101)])(
    'have no header named %j',
    (name) => {
      expect(issuesOf({ headers: { [name]: 'x' } })).toEqual([
        expect.stringContaining('must have a name of 1 to 100 letters'),
      ]);
    },
  );

  test.each(['', ' a', 'a ', 'a\r\nX-Other: b', 'é', '\0', 'x'.repeat(1_001)])(
    'have no header with the value %j',
    (value) => {
      expect(issuesOf({ headers: { 'X-Key': value } })).toEqual([
        expect.stringContaining('headers.X-Key: must have a value of 1 to 1,000 printable ASCII'),
      ]);
    },
  );

  test('have no header twice, and ten at most', () => {
    expect(issuesOf({ headers: { 'X-Key': 'a', 'x-key': 'b' } })).toHaveLength(2);
    const many = Array.from({ length: 11 }, (_, at) => [`X-${at}`, 'a']);
    expect(issuesOf({ headers: Object.fromEntries(many) })).toEqual([
      'headers: must have 10 headers at most',
    ]);
  });
});
