import { expect, onTestFinished, test } from 'vitest';
import { findUrl, listDemoFolders, startDemo } from './start-demo';

test('npm run demo shows the main flow step by step, shows no secret and deletes what it created', async () => {
  const { folder, demo } = await startDemo(onTestFinished);
  const { code, stdout, stderr } = await demo.exit;

  expect(stderr).toBe('');
  expect(code).toBe(0);
  const steps = [...stdout.matchAll(/^(\d) {2}\S/gm)].map(([, number]) => Number(number));
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const line of [
    /\$ TRADEPOST_API_KEY=tpk_\w{4}… tradepost webhooks register/,
    /> await tradepost\.orders\.create\(/,
    /\$ TRADEPOST_API_KEY=tpk_\w{4}… tradepost orders set-status ord_\w+ fulfilling/,
    /> const event = verifyWebhookSync\(\{ .*, requireTimestamp: true \}\);/,
    /service-signature {2}[0-9a-f]{16}…/,
    /\{"event":"order\.status_changed",.*"previousStatus":"pending","status":"fulfilling"\}\}/,
    /✓ Verified and handled: .* went from pending to fulfilling\. Responded 204\./,
    /✓ Responded 400 SIGNATURE_MISMATCH/,
    /✓ Retried after \d+\.\d s: .* went from fulfilling to completed/,
    /✓ ntf_\w+ is read/,
    /^Try next:$/m,
    /npm start .* a link to its console/,
  ]) {
    expect(stdout).toMatch(line);
  }
  const attempts = [...stdout.matchAll(/webhook-id (evt_\w+) {2}responded (\d+)/g)];
  expect(attempts.map(([, , status]) => status)).toEqual(['500', '204']);
  expect(new Set(attempts.map(([, id]) => id)).size).toBe(1);

  expect(stdout).not.toMatch(/(tpk|whsec)_[^\s…]{5}/);
  expect(stdout).not.toContain(folder);
  expect(await listDemoFolders(folder)).toEqual([]);
  await expect(fetch(findUrl(stdout))).rejects.toThrow('fetch failed');
}, 90_000);
