import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  type EventType,
  type WebhookDetails,
  type WebhookUpdateParams,
  webhookLimits,
} from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { useRefresh } from '../kernel/queries';
import { readHeaders } from '../kernel/read-headers';
import { useMayWrite } from '../kernel/session';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import form from '../ui/form.module.css';
import { HowTo } from '../ui/how-to';
import { Failure } from '../ui/notices';
import { EventTypes } from './event-types';
import { useUpdateWebhook } from './update-webhook';
import { toWebhookOptions } from './webhook-words';

/** The settings of a webhook, and its deletion. */
export function WebhookSettings({ webhook }: { webhook: WebhookDetails }) {
  // What the person began with: what others change meanwhile is not changed back.
  const [base, setBase] = useState(webhook);
  const update = useUpdateWebhook(webhook.id);
  const hasSettings = useExtension('webhooks.settings');
  const mayWrite = useMayWrite();
  const [url, setUrl] = useState(webhook.url);
  const [events, setEvents] = useState<readonly string[]>(webhook.events);
  const [description, setDescription] = useState(webhook.description ?? '');
  const [rate, setRate] = useState(String(webhook.attemptsPerMinute ?? ''));
  /** Null: they stay as they are. */
  const [headers, setHeaders] = useState<string | null>(null);
  const typed = headers === null ? null : readHeaders(headers);
  const change: WebhookUpdateParams = {
    ...(url.trim() !== base.url && { url: url.trim() }),
    ...(events.join() !== base.events.join() && { events: events as EventType[] }),
    ...(description.trim() !== (base.description ?? '') && {
      description: description.trim() || null,
    }),
    ...(rate !== String(base.attemptsPerMinute ?? '') && {
      attemptsPerMinute: rate === '' ? null : Number(rate),
    }),
    ...(typed !== null && { headers: typed.headers }),
  };
  const canSave = Object.keys(change).length > 0 && events.length > 0 && typed?.problem == null;
  const isOld = !update.isPending && describe(webhook) !== describe(base);
  function begin(next: WebhookDetails) {
    setBase(next);
    setUrl(next.url);
    setEvents(next.events);
    setDescription(next.description ?? '');
    setRate(String(next.attemptsPerMinute ?? ''));
    setHeaders(null);
  }
  return (
    <form
      className={form.page}
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate(change, { onSuccess: begin });
      }}
    >
      <fieldset className={form.form} disabled={!mayWrite}>
        <legend className="only-read">Settings</legend>
        <label className={form.field}>
          <span>URL</span>
          <input type="url" required value={url} onChange={({ target }) => setUrl(target.value)} />
          <small>Deliveries that wait are sent to the new one too.</small>
        </label>
        {hasSettings && (
          <label className={form.field}>
            <span>Description</span>
            <input
              value={description}
              maxLength={webhookLimits.description.max}
              onChange={({ target }) => setDescription(target.value)}
            />
          </label>
        )}
        <EventTypes chosen={events} onChange={setEvents} />
        {hasSettings && (
          <label className={form.field}>
            <span>Attempts per minute</span>
            <input
              type="number"
              min={webhookLimits.attemptsPerMinute.min}
              max={webhookLimits.attemptsPerMinute.max}
              value={rate}
              placeholder="no limit"
              onChange={({ target }) => setRate(target.value)}
            />
            <small>Deliveries above the limit wait.</small>
          </label>
        )}
        {hasSettings && (
          <Headers
            names={webhook.headerNames}
            value={headers}
            problem={typed?.problem ?? null}
            onChange={setHeaders}
          />
        )}
      </fieldset>
      {isOld && (
        <p className={form.problem} role="status">
          Someone changed the settings meanwhile. Save changes only what you changed here.{' '}
          <Button look="quiet" onClick={() => begin(webhook)}>
            Show them as they are now
          </Button>
        </p>
      )}
      {update.isError && <Failure error={update.error} what="change it" />}
      {canSave && (
        <HowTo
          cli={['webhooks', 'update', webhook.id, ...toWebhookOptions(change)]}
          sdk={`await tradepost.webhooks.update('${webhook.id}', ${JSON.stringify(change)})`}
        />
      )}
      {mayWrite && (
        <div className={form.buttons}>
          <Delete webhook={webhook} />
          <Button look="primary" type="submit" busy={update.isPending} disabled={!canSave}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

/** The settings of a webhook as one text, to compare them. */
function describe({ url, events, description, attemptsPerMinute, headerNames }: WebhookDetails) {
  return JSON.stringify([url, events, description, attemptsPerMinute, headerNames]);
}

/** The headers that each delivery has too. Nobody gets to see their values, so they are replaced as a whole. */
function Headers({
  names,
  value,
  problem,
  onChange,
}: {
  names: readonly string[];
  value: string | null;
  /** A line that is no header. */
  problem: string | null;
  onChange: (value: string | null) => void;
}) {
  const now = names.length === 0 ? 'none' : names.join(', ');
  if (value === null) {
    return (
      <div className={form.field}>
        <span>Additional headers</span>
        <p>{now}</p>
        <div>
          <Button onClick={() => onChange('')}>Replace them</Button>
        </div>
      </div>
    );
  }
  return (
    <label className={form.field}>
      <span>Additional headers</span>
      <textarea
        rows={3}
        value={value}
        spellCheck={false}
        placeholder="X-Gateway-Key: …"
        aria-invalid={problem !== null}
        onChange={({ target }) => onChange(target.value)}
      />
      <small>
        A name, a colon and a value on each line. They replace what is there ({now}); an empty field
        removes it. Their values are never shown again.
      </small>
      {problem !== null && (
        <span className={form.problem} role="alert">
          “<bdi>{problem}</bdi>” has no name and value with a colon between them.
        </span>
      )}
    </label>
  );
}

function formatWaiting(count: number): string {
  return count === 1
    ? 'The delivery that waits is'
    : `The ${count.toLocaleString('en')} deliveries that wait are`;
}

function Delete({ webhook }: { webhook: WebhookDetails }) {
  const client = useClient();
  const queries = useQueryClient();
  const refresh = useRefresh('webhooks', 'summary');
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.webhooks.delete(webhook.id),
    async onSuccess() {
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: ['webhooks', 'one', webhook.id] });
      await refresh();
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <Dialog title="Delete this webhook?" onClose={() => setOpen(false)}>
          <div className={form.form}>
            <p>
              Nothing is sent to <bdi>{webhook.url}</bdi> any more.{' '}
              {webhook.pendingDeliveries > 0 &&
                `${formatWaiting(webhook.pendingDeliveries)} cancelled. `}
              This cannot be undone.
            </p>
            {remove.isError && <Failure error={remove.error} what="delete it" />}
            <HowTo
              cli={['webhooks', 'delete', webhook.id]}
              sdk={`await tradepost.webhooks.delete('${webhook.id}')`}
            />
            <div className={form.buttons}>
              <Button onClick={() => setOpen(false)}>Back</Button>
              <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
                Delete the webhook
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
