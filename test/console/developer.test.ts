import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startHttpReceiver } from '../helpers/start-receiver';
import { useConsole } from './open-console';

const site = useConsole();

test('a delivery is genuine with its secret, and only unchanged', async () => {
  const client = site.client('seller');
  const receiver = await forTest(startHttpReceiver((response) => response.writeHead(204).end()));
  const { id = '', secret = '' } = await client.webhooks.create({
    url: receiver.url,
    events: ['order.created'],
  });
  await client.webhooks.test(id, { event: 'order.created' });
  await receiver.until((arrivals) => arrivals.length > 0);
  const { headers, body } = receiver.arrivals[0] ?? { headers: {}, body: '' };
  const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

  const page = await site.signIn('seller', 'developer/signature');
  await page.getByLabel('Secret').fill(secret);
  await page.getByLabel('Headers').fill(text.join('\n'));
  await page.getByLabel('Body').fill(body.toString());
  // The verifier has a file of its own, which a network may lose.
  site.expectFault(/^error in the console: Failed to load resource: net::ERR_FAILED/);
  await page.route(/[/]assets[/].*[.]js$/, (route) => route.abort());
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('alert').getByText('Could not check it.').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('It is genuine: order.created').waitFor();

  await page.getByLabel('Body').fill(`${body} `);
  await page.getByRole('button', { name: 'Check' }).click();
  const outcome = page.getByRole('status').filter({ hasText: 'Do not trust it' });
  await outcome.waitFor();
  expect(await outcome.textContent()).not.toContain('INVALID_CONFIGURATION');
});
