import type { VerifiedDelivery } from '@tradepost/sdk/webhooks';
import { type FormEvent, useState } from 'react';
import { loadFile } from '../kernel/parts';
import { readHeaders } from '../kernel/read-headers';
import { Button } from '../ui/button';
import form from '../ui/form.module.css';
import { Failure } from '../ui/notices';
import { Panel } from '../ui/page';
import styles from './developer-page.module.css';

/** Ten years, in seconds: an old delivery is looked at, not acted on. */
const maxTolerance = 10 * 365 * 86_400;

/** What became of a check. */
type Outcome =
  | { ok: true; delivery: VerifiedDelivery }
  | { ok: false; code: string; message: string };

/** Whether the browser signs. It does only over HTTPS and on this machine. */
const canVerify = 'subtle' in crypto;

async function verify(data: FormData): Promise<Outcome> {
  const { verifyDelivery, WebhookVerificationError } = await loadFile(
    () => import('@tradepost/sdk/webhooks'),
  );
  try {
    const delivery = await verifyDelivery({
      payload: String(data.get('body') ?? ''),
      secret: String(data.get('secret') ?? ''),
      headers: readHeaders(String(data.get('headers') ?? '')).headers,
      tolerance: maxTolerance,
      diagnose: true,
    });
    return { ok: true, delivery };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

/** Says whether a delivery was signed with a secret, and if not, what was done to it. Nothing is sent. */
export function SignatureCheck() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [error, setError] = useState<unknown>(null);
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    setOutcome(null);
    setError(null);
    await verify(data).then(setOutcome, setError);
  }
  if (!canVerify) {
    return (
      <Panel title="Check a signature">
        <p className={styles.part}>
          Browsers compute signatures only over HTTPS. On this page, use the command line instead:{' '}
          <code>tradepost webhooks verify --secret-file FILE</code>
        </p>
      </Panel>
    );
  }
  return (
    <Panel title="Check a signature">
      <form className={`${form.form} ${styles.part}`} onSubmit={submit}>
        <p>
          Paste a delivery as your receiver got it. It is checked in this page by{' '}
          <code>verifyDelivery</code> of the SDK; nothing is sent or stored.
        </p>
        <label className={form.field}>
          <span>Secret</span>
          <input name="secret" type="password" autoComplete="off" required placeholder="whsec_…" />
        </label>
        <label className={form.field}>
          <span>Headers</span>
          <textarea
            name="headers"
            rows={4}
            required
            spellCheck={false}
            placeholder={
              'Service-Signature: …\nwebhook-id: evt_…\nwebhook-timestamp: …\nwebhook-signature: v1,…'
            }
          />
        </label>
        <label className={form.field}>
          <span>Body</span>
          <textarea name="body" rows={6} required spellCheck={false} />
          <small>The bytes as received, before any parser.</small>
        </label>
        <div className={form.buttons}>
          <Button look="primary" type="submit">
            Check
          </Button>
        </div>
        {error !== null && <Failure error={error} what="check it" />}
        {outcome !== null && (
          <div className={styles.outcome} data-ok={outcome.ok || undefined} role="status">
            {outcome.ok ? (
              <>
                <strong>It is genuine:</strong> {outcome.delivery.event.event}
              </>
            ) : (
              <>
                <strong>Do not trust it</strong> (<code>{outcome.code}</code>): {outcome.message}
              </>
            )}
          </div>
        )}
      </form>
    </Panel>
  );
}
