import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deliveries, EventKind, Webhook } from './deliveries';
import type { Behaviour } from './wire';

export interface Account {
  id: string;
  kind: 'buyer' | 'seller' | 'agent';
  key: string;
}

export interface Listing {
  id: string;
  sellerId: string;
  /** Becomes the agent of every order. */
  agentId: string | null;
}

interface Order {
  id: string;
  status: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  createdAt: Date;
  updatedAt: Date;
}

interface Notification {
  id: string;
  accountId: string;
  type: string;
  orderId: string;
  message: string;
  read: boolean;
  createdAt: Date;
}

/** A request to one of the seven endpoints, after authentication. */
export interface Call {
  account: Account;
  /** From the path; empty if the path has none. */
  id: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** A successful response. Dates are written as timestamps. */
export interface Result {
  status: number;
  /** Undefined: no body. */
  body?: unknown;
}

/** The service refuses a request. */
export class Refusal extends Error {
  constructor(readonly status: number) {
    super(`Refused with ${status}.`);
  }
}

const statuses = ['pending', 'confirmed', 'fulfilling', 'completed', 'cancelled'];
const moves = ['pending fulfilling', 'fulfilling completed', 'pending cancelled'];
const eventKinds: readonly string[] = [
  ...['order.created', 'order.status_changed'],
  ...['task.approval_requested', 'task.completed', 'listing.availability_low'],
];

/** The records and rules of the minimal service, in memory. Each endpoint is a method. */
export class Service {
  readonly #orders: Order[] = [];
  readonly #notifications: Notification[] = [];
  readonly #webhooks: Webhook[] = [];
  /** The first status of each order, by its ID. */
  readonly #firstStatus = new Map<string, string>();
  #marks = 0;

  constructor(
    readonly accounts: readonly Account[],
    private readonly listings: readonly Listing[],
    private readonly deliveries: Deliveries,
    private readonly behaviour: Behaviour,
  ) {}

  /** Returns the account of the key in an `Authorization` header. */
  authenticate(header: string | undefined, path: string): Account {
    const { fault } = this.behaviour;
    const [, key] = /^Bearer (.+)$/i.exec(header ?? '') ?? [];
    const account = this.accounts.find((candidate) => candidate.key === key);
    const [buyer] = this.accounts;
    if (account) return account;
    if (buyer && fault === 'anyBearer' && key) return buyer;
    const open = {
      notificationsWithoutKey: '/v1/notifications',
      webhooksWithoutKey: '/v1/webhooks',
    };
    if (
      buyer &&
      !header &&
      Object.entries(open).some(([name, at]) => fault === name && path === at)
    )
      return buyer;
    throw new Refusal(401);
  }

  /** GET /v1/orders */
  listOrders({ account, query }: Call): Result {
    const { fault, variant } = this.behaviour;
    const filter = query.get('status');
    this.#allowOnly([...query.keys()], ['status']);
    const ignoresFilter =
      fault === 'filterIgnored' || (fault === 'onlyPendingFiltered' && filter !== 'pending');
    const orders = this.#orders.filter((order) => {
      if (!isParty(order, account) && !(fault === 'filterLeaks' && filter !== null)) return false;
      if (filter === null || ignoresFilter) return true;
      const status = fault === 'staleFilter' ? this.#firstStatus.get(order.id) : order.status;
      const isFresh = variant === 'listsLater' && Date.now() < order.updatedAt.getTime() + 700;
      return filter === (isFresh ? this.#firstStatus.get(order.id) : status);
    });
    const list = orders.reverse().map((order) => {
      const shown = this.#show(order);
      if (fault === 'listStale') shown.updatedAt = order.createdAt;
      if (fault === 'sellerUnprefixed') shown.sellerId = order.sellerId.slice('usr_'.length);
      return shown;
    });
    return { status: 200, body: fault === 'bareList' ? list : { data: list } };
  }

  /** POST /v1/orders */
  createOrder({ account, body }: Call): Result {
    const { fault, variant } = this.behaviour;
    if (variant === 'otherClients') this.orderElsewhere();
    const mayCreate =
      account.kind === 'buyer' ||
      (fault === 'sellerCreates' && account.kind === 'seller') ||
      (fault === 'agentCreates' && account.kind === 'agent');
    const isHidden = fault === 'sellerRefusedAfterCreate' && account.kind === 'seller';
    if (!mayCreate && !isHidden) throw new Refusal(403);
    this.#allowOnly(Object.keys(body), ['listingId', 'quantity']);
    const listing = this.listings.find(({ id }) => id === body.listingId);
    const quantity = fault === 'quantityDefault' ? (body.quantity ?? 1) : body.quantity;
    if (!listing || typeof quantity !== 'number' || quantity < 1) throw new Refusal(422);
    if (!Number.isInteger(quantity) && fault !== 'fractionStored') throw new Refusal(422);

    const now = new Date();
    const order: Order = {
      id:
        fault === 'idUnprefixed'
          ? randomUUID()
          : `ord_${newId()}${variant === 'oddIds' ? '=:' : ''}`,
      status: fault === 'clientStatus' ? String(body.status ?? 'pending') : 'pending',
      buyerId: account.id,
      sellerId: listing.sellerId,
      agentId: variant === 'agentLater' ? null : listing.agentId,
      listingId: listing.id,
      quantity: fault === 'quantityOne' ? 1 : quantity,
      createdAt: now,
      updatedAt: now,
    };
    this.#orders.push(order);
    if (variant === 'agentLater') {
      const agent = this.accounts.find(({ kind }) => kind === 'agent');
      setTimeout(() => Object.assign(order, { agentId: agent?.id, updatedAt: new Date() }), 50);
    }
    if (variant === 'confirmsItself')
      setTimeout(() => {
        if (order.status === 'pending') void this.#change(order, 'confirmed', account);
      }, 150);
    this.#firstStatus.set(order.id, order.status);
    if (this.behaviour.variant === 'moreNotifications')
      this.#notify(
        order,
        this.#recipients(order, account),
        'order_created',
        `Order ${order.id} is new.`,
      );
    this.#deliver(order, 'order.created', { orderId: order.id }, account);
    if (fault === 'createdTwice')
      this.#deliver(order, 'order.created', { orderId: order.id, copy: '2' }, account);
    if (isHidden) throw new Refusal(403);
    const shown = this.#show(order);
    if (fault === 'upperStatus') shown.status = order.status.toUpperCase();
    return { status: 201, body: { data: shown } };
  }

  /** Creates an order that the kit has not requested. */
  orderElsewhere(): void {
    const [account] = this.accounts;
    const [listing] = this.listings;
    if (!account || !listing) return;
    const now = new Date();
    this.#orders.push({
      ...{ id: `ord_${newId()}`, status: 'pending', buyerId: account.id, agentId: null },
      ...{ sellerId: listing.sellerId, listingId: listing.id, quantity: 77 },
      ...{ createdAt: now, updatedAt: now },
    });
  }

  /** GET /v1/orders/:id */
  getOrder({ account, id }: Call): Result {
    const { fault } = this.behaviour;
    const shown = this.#show(this.#findOrder(account, id, fault === 'getIgnoresOwner'));
    return { status: 200, body: fault === 'bareOrder' ? shown : { data: shown } };
  }

  /** PATCH /v1/orders/:id */
  async updateOrder({ account, id, body }: Call): Promise<Result> {
    const { fault, variant } = this.behaviour;
    const order = this.#findOrder(account, id, fault === 'strangerUpdates');
    const isStranger = !isParty(order, account);
    const status = fault === 'emptyAdvances' ? (body.status ?? 'fulfilling') : body.status;
    const isKnown = statuses.includes(String(status)) && typeof status === 'string';
    const isMove = isKnown && this.#isMove(order.status, status);
    if (account.kind === 'buyer' && fault !== 'buyerUpdates' && !isStranger) {
      if (isMove && fault === 'buyerRefusedAfterWrite') await this.#change(order, status, account);
      if (isMove && fault === 'refusalAnnounced')
        this.#announce(order, order.status, status, account);
      throw new Refusal(403);
    }
    if (account.kind === 'agent' && fault === 'agentRefused') throw new Refusal(403);
    this.#allowOnly(Object.keys(body), ['status']);

    if (status === 'shipped' && fault === 'unknownStored') {
      await this.#change(order, status, account);
    } else if (!isKnown) {
      if (variant !== 'politeRefusals') throw new Refusal(422);
    } else if (isMove && (variant === 'appliesLater' || fault === 'eventBeforeLaterCommit')) {
      if (fault) this.#announce(order, order.status, status, account);
      setTimeout(() => void this.#change(order, status, account), fault ? 300 : 700);
      return { status: 202, body: { data: this.#show(order) } };
    } else if (isMove) {
      await this.#change(order, status, account);
      if (fault === 'notPersisted') return this.#updated({ ...this.#show(order), status });
    } else if (status !== order.status || variant !== 'anyMove') {
      throw new Refusal(409);
    }
    return this.#updated(this.#show(order));
  }

  /** GET /v1/notifications */
  listNotifications({ account, query }: Call): Result {
    this.#allowOnly([...query.keys()], []);
    const list = this.#notifications
      .filter(({ accountId }) => {
        return accountId === account.id || this.behaviour.fault === 'globalNotifications';
      })
      .map((notification) => this.#show(notification))
      .reverse();
    const isNested = this.behaviour.variant === 'nestedNotifications';
    return { status: 200, body: { data: isNested ? { notifications: list } : list } };
  }

  /** PATCH /v1/notifications/:id */
  markNotification({ account, id, body }: Call): Result {
    const { fault, variant } = this.behaviour;
    const notification = this.#notifications.find((candidate) => candidate.id === id);
    const isOwn = notification?.accountId === account.id || fault === 'foreignMark';
    if (!notification || !isOwn) throw new Refusal(this.#hiddenStatus(notification));
    this.#allowOnly(Object.keys(body), ['read']);

    if (variant === 'otherClients') this.#markElsewhere();
    const isRead = notification.read;
    if (body.read === true && variant === 'appliesLater') {
      setTimeout(() => Object.assign(notification, { read: true }), 700);
      return { status: 202 };
    }
    if (body.read === true) {
      notification.read = true;
      for (const other of this.#notifications)
        if (fault === 'marksForOthers' && other.orderId === notification.orderId) other.read = true;
      for (const other of this.#notifications)
        if (fault === 'marksAll' && other.accountId === account.id) other.read = true;
      if (isRead && fault === 'trueToggles') notification.read = false;
    } else if (body.read === false && (fault === 'falseMarks' || fault === 'falseUnmarks')) {
      notification.read = fault === 'falseMarks';
    } else if (variant !== 'politeRefusals') {
      throw new Refusal(422);
    }
    return this.#updated(this.#show(notification));
  }

  /** Marks a notification of every account at every fourth call, as other clients may. */
  #markElsewhere(): void {
    this.#marks += 1;
    for (const { id } of this.#marks % 4 === 0 ? this.accounts : []) {
      const newest = this.#notifications.findLast((one) => one.accountId === id && !one.read);
      if (newest) newest.read = true;
    }
  }

  /** POST /v1/webhooks */
  createWebhook({ account, body }: Call): Result {
    this.#allowOnly(Object.keys(body), ['url', 'events']);
    const { url, events } = body;
    const isValid = Array.isArray(events) && events.length > 0 && typeof url === 'string';
    if (!isValid || !URL.canParse(url)) throw new Refusal(422);
    if (!events.every((event) => eventKinds.includes(event))) throw new Refusal(422);
    const own = this.#webhooks.filter((webhook) => webhook.account === account);
    if (this.behaviour.variant === 'fewWebhooks' && own.length === 8) throw new Refusal(409);
    const secret = randomBytes(24).toString('base64url');
    const webhook: Webhook = { id: `whk_${newId()}`, url, events, secret, account };
    this.#webhooks.push(webhook);
    if (this.behaviour.variant === 'flakyRegistration' && own.length === 0) throw new Refusal(503);
    const name = this.behaviour.variant === 'namedSigningSecret' ? 'signingSecret' : 'secret';
    return { status: 201, body: { data: { id: webhook.id, url, events, [name]: secret } } };
  }

  #findOrder(account: Account, id: string, isOpen = false): Order {
    const order = this.#orders.find((candidate) => candidate.id === id);
    if (order && (isOpen || isParty(order, account))) return order;
    const newest = this.#orders.findLast((candidate) => isParty(candidate, account));
    if (!order && newest && this.behaviour.fault === 'inventedId') return newest;
    throw new Refusal(this.#hiddenStatus(order));
  }

  /** The status of a refusal for what the account may not see. */
  #hiddenStatus(hidden: unknown): number {
    return hidden && this.behaviour.variant === 'hiddenIsForbidden' ? 403 : 404;
  }

  #isMove(from: string, to: string): boolean {
    const { variant } = this.behaviour;
    if (variant === 'onlyOneMove') return `${from} ${to}` === moves[0];
    return variant === 'anyMove' ? from !== to : moves.includes(`${from} ${to}`);
  }

  async #change(order: Order, status: string, actor: Account): Promise<void> {
    const { fault } = this.behaviour;
    const previous = order.status;
    if (fault === 'eventBeforeCommit') {
      this.#announce(order, previous, status, actor);
      await delay(300);
    }
    if (fault !== 'notPersisted') {
      order.status = status;
      const agent = this.accounts.find(({ kind }) => kind === 'agent');
      if (this.behaviour.variant === 'agentWithChange') order.agentId ??= agent?.id ?? null;
      if (fault !== 'updatedAtFixed') order.updatedAt = new Date();
      if (fault === 'createdAtRewritten') order.createdAt = order.updatedAt;
    }
    for (const other of this.#orders)
      if (fault === 'siblingsChange' && other.listingId === order.listingId)
        if (other.status === previous) other.status = status;

    const recipients = fault === 'onlyActorNotified' ? [actor.id] : this.#recipients(order, actor);
    const named = fault === 'oldStatusInMessage' ? previous : status;
    const message = `Order ${order.id} is now ${named}.`;
    if (fault !== 'noNotification')
      this.#notify(order, recipients, 'order_status_changed', message);
    if (!fault?.startsWith('eventBefore')) this.#announce(order, previous, status, actor);
    if (this.behaviour.variant === 'movesItself' && status === 'fulfilling')
      setTimeout(() => this.#complete(order, actor), 150);
  }

  /** Completes an order that nobody has changed meanwhile. */
  #complete(order: Order, actor: Account): void {
    if (order.status === 'fulfilling') void this.#change(order, 'completed', actor);
  }

  #announce(order: Order, previous: string, status: string, actor: Account): void {
    const { fault } = this.behaviour;
    let previousStatus = fault === 'previousIsNew' ? status : previous;
    if (fault === 'previousIsPending') previousStatus = 'pending';
    const data = { orderId: order.id, previousStatus, status };
    this.#deliver(order, 'order.status_changed', data, actor);
  }

  #recipients({ buyerId, sellerId, agentId }: Order, actor: Account): string[] {
    if (this.behaviour.variant === 'actorOnly') return [actor.id];
    if (this.behaviour.variant === 'sellerOnly') return [sellerId];
    return [buyerId, sellerId, ...(agentId ? [agentId] : [])];
  }

  #notify(order: Order, accountIds: string[], type: string, message: string): void {
    const { fault, variant } = this.behaviour;
    for (const accountId of accountIds) {
      const isMarked = variant === 'otherClients' && this.#notifications.length % 10 === 7;
      const read = isMarked || fault === 'bornRead' || fault === 'webhooksWithoutKey';
      const id = `ntf_${newId()}`;
      const createdAt = new Date();
      this.#notifications.push({
        id,
        accountId,
        type,
        orderId: order.id,
        message,
        read,
        createdAt,
      });
    }
  }

  #deliver(order: Order, event: EventKind, data: Record<string, string>, actor: Account): void {
    const { fault } = this.behaviour;
    const recipients = this.#recipients(order, actor);
    const [first] = this.#webhooks;
    for (const webhook of this.#webhooks) {
      if (!recipients.includes(webhook.account.id) && fault !== 'strangersWebhook') continue;
      if (!webhook.events.includes(event) && fault !== 'unsubscribedKinds') continue;
      const secret = fault === 'oneSecret' ? first?.secret : undefined;
      const signing = secret === undefined ? webhook : { ...webhook, secret };
      const readStatus = () => order.status;
      this.deliveries.send(signing, { event, createdAt: new Date(), data }, readStatus);
    }
  }

  /** Returns the record as responses have it. */
  #show(record: Order | Notification): Record<string, unknown> {
    const { fault, variant } = this.behaviour;
    const { accountId, ...shown }: Record<string, unknown> = { ...record };
    if (variant === 'moreFields') shown.more = { of: [accountId ?? null] };
    if (accountId !== undefined) return shown;
    if (fault === 'shoutedStatus') shown.status = String(shown.status).toUpperCase();
    if (fault === 'agentEmpty') shown.agentId ??= '';
    if (fault === 'agentAbsent' && shown.agentId === null) delete shown.agentId;
    if (fault === 'quantityText') shown.quantity = String(shown.quantity);
    if (fault === 'epochCreatedAt') shown.createdAt = record.createdAt.getTime();
    if (fault === 'localUpdatedAt' && 'updatedAt' in record) {
      const local = new Date(record.updatedAt.getTime() + 2 * 3_600_000);
      shown.updatedAt = local.toISOString().replace('Z', '+02:00');
    }
    return shown;
  }

  #updated(shown: Record<string, unknown>): Result {
    return this.behaviour.variant === 'emptyUpdates'
      ? { status: 204 }
      : { status: 200, body: { data: shown } };
  }

  #allowOnly(names: string[], known: string[]): void {
    const isStrict = this.behaviour.variant === 'strictRequests';
    if (isStrict && names.some((name) => !known.includes(name))) throw new Refusal(400);
  }
}

function isParty({ buyerId, sellerId, agentId }: Order, { id }: Account): boolean {
  return [buyerId, sellerId, agentId].includes(id);
}

/** Returns the part of an ID after its prefix. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}
