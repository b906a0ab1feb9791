type AbortSignal = unknown;

export type Autocomplete<T> = T | (AutocompletePrimitiveBaseType<T> & Record<never, never>);

type AutocompletePrimitiveBaseType<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : never;

declare class BodyReadable extends Readable {
  constructor(opts: {
    resume: (this: Readable, size: number) => void | null;
    abort: () => void | null;
    contentType?: string;
    contentLength?: number;
    highWaterMark?: number;
  });
  text(): Promise<string>;
  json(): Promise<unknown>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  formData(): Promise<never>;
  readonly bodyUsed: boolean;
  readonly body: never | undefined;
  dump(opts?: { limit: number; signal?: AbortSignal }): Promise<void>;
}

export class Client extends Dispatcher {
  constructor(url: string | URL, options?: Client.Options);
  pipelining: number;
  closed: boolean;
  destroyed: boolean;
  readonly stats: ClientStats;
  override connect(options: ClientConnectOptions): Promise<Dispatcher.ConnectData>;
  override connect(
    options: ClientConnectOptions,
    callback: (err: Error | null, data: Dispatcher.ConnectData) => void,
  ): void;
}

export declare namespace Client {
  export interface OptionsInterceptors {
    Client: readonly Dispatcher.DispatchInterceptor[];
  }
  export interface Options {
    interceptors?: OptionsInterceptors;
    maxHeaderSize?: number;
    headersTimeout?: number;
    socketTimeout?: never;
    requestTimeout?: never;
    connectTimeout?: number;
    bodyTimeout?: number;
    idleTimeout?: never;
    keepAlive?: never;
    keepAliveTimeout?: number;
    maxKeepAliveTimeout?: never;
    keepAliveMaxTimeout?: number;
    keepAliveTimeoutThreshold?: number;
    socketPath?: string;
    pipelining?: number;
    tls?: never;
    strictContentLength?: boolean;
    maxCachedSessions?: number;
    connect?: Partial<buildConnector.BuildOptions> | buildConnector.connector;
    maxRequestsPerClient?: number;
    localAddress?: string;
    maxResponseSize?: number;
    autoSelectFamily?: boolean;
    autoSelectFamilyAttemptTimeout?: number;
    allowH2?: boolean;
    maxConcurrentStreams?: number;
    initialWindowSize?: number;
    connectionWindowSize?: number;
    pingInterval?: number;
    webSocket?: WebSocketOptions;
    eventSource?: EventSourceOptions;
  }
  export interface SocketInfo {
    localAddress?: string;
    localPort?: number;
    remoteAddress?: string;
    remotePort?: number;
    remoteFamily?: string;
    timeout?: number;
    bytesWritten?: number;
    bytesRead?: number;
  }
  export interface WebSocketOptions {
    maxFragments?: number;
    maxPayloadSize?: number;
  }
  export interface EventSourceOptions {
    maxEventSize?: number;
  }
}

type ClientConnectOptions = Omit<Dispatcher.ConnectOptions, 'origin'>;

declare class ClientStats {
  constructor(pool: Client);
  connected: boolean;
  pending: number;
  running: number;
  size: number;
}

declare class Dispatcher extends EventEmitter {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  connect<TOpaque = null>(
    options: Dispatcher.ConnectOptions<TOpaque>,
    callback: (err: Error | null, data: Dispatcher.ConnectData<TOpaque>) => void,
  ): void;
  connect<TOpaque = null>(
    options: Dispatcher.ConnectOptions<TOpaque>,
  ): Promise<Dispatcher.ConnectData<TOpaque>>;
  compose(dispatchers: Dispatcher.DispatcherComposeInterceptor[]): Dispatcher.ComposedDispatcher;
  compose(...dispatchers: Dispatcher.DispatcherComposeInterceptor[]): Dispatcher.ComposedDispatcher;
  request<TOpaque = null>(
    options: Dispatcher.RequestOptions<TOpaque>,
    callback: (err: Error | null, data: Dispatcher.ResponseData<TOpaque>) => void,
  ): void;
  request<TOpaque = null>(
    options: Dispatcher.RequestOptions<TOpaque>,
  ): Promise<Dispatcher.ResponseData<TOpaque>>;
  pipeline<TOpaque = null>(
    options: Dispatcher.PipelineOptions<TOpaque>,
    handler: Dispatcher.PipelineHandler<TOpaque>,
  ): Duplex;
  stream<TOpaque = null>(
    options: Dispatcher.RequestOptions<TOpaque>,
    factory: Dispatcher.StreamFactory<TOpaque>,
    callback: (err: Error | null, data: Dispatcher.StreamData<TOpaque>) => void,
  ): void;
  stream<TOpaque = null>(
    options: Dispatcher.RequestOptions<TOpaque>,
    factory: Dispatcher.StreamFactory<TOpaque>,
  ): Promise<Dispatcher.StreamData<TOpaque>>;
  upgrade(
    options: Dispatcher.UpgradeOptions,
    callback: (err: Error | null, data: Dispatcher.UpgradeData) => void,
  ): void;
  upgrade(options: Dispatcher.UpgradeOptions): Promise<Dispatcher.UpgradeData>;
  close(callback: () => void): void;
  close(): Promise<void>;
  destroy(err: Error | null, callback: () => void): void;
  destroy(callback: () => void): void;
  destroy(err: Error | null): Promise<void>;
  destroy(): Promise<void>;
  on(eventName: 'connect', callback: (origin: URL, targets: readonly Dispatcher[]) => void): this;
  on(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  on(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  on(eventName: 'drain', callback: (origin: URL) => void): this;
  once(eventName: 'connect', callback: (origin: URL, targets: readonly Dispatcher[]) => void): this;
  once(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  once(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  once(eventName: 'drain', callback: (origin: URL) => void): this;
  off(eventName: 'connect', callback: (origin: URL, targets: readonly Dispatcher[]) => void): this;
  off(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  off(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  off(eventName: 'drain', callback: (origin: URL) => void): this;
  addListener(
    eventName: 'connect',
    callback: (origin: URL, targets: readonly Dispatcher[]) => void,
  ): this;
  addListener(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  addListener(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  addListener(eventName: 'drain', callback: (origin: URL) => void): this;
  removeListener(
    eventName: 'connect',
    callback: (origin: URL, targets: readonly Dispatcher[]) => void,
  ): this;
  removeListener(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  removeListener(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  removeListener(eventName: 'drain', callback: (origin: URL) => void): this;
  prependListener(
    eventName: 'connect',
    callback: (origin: URL, targets: readonly Dispatcher[]) => void,
  ): this;
  prependListener(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  prependListener(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  prependListener(eventName: 'drain', callback: (origin: URL) => void): this;
  prependOnceListener(
    eventName: 'connect',
    callback: (origin: URL, targets: readonly Dispatcher[]) => void,
  ): this;
  prependOnceListener(
    eventName: 'disconnect',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  prependOnceListener(
    eventName: 'connectionError',
    callback: (origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void,
  ): this;
  prependOnceListener(eventName: 'drain', callback: (origin: URL) => void): this;
  listeners(eventName: 'connect'): ((origin: URL, targets: readonly Dispatcher[]) => void)[];
  listeners(
    eventName: 'disconnect',
  ): ((origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void)[];
  listeners(
    eventName: 'connectionError',
  ): ((origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void)[];
  listeners(eventName: 'drain'): ((origin: URL) => void)[];
  rawListeners(eventName: 'connect'): ((origin: URL, targets: readonly Dispatcher[]) => void)[];
  rawListeners(
    eventName: 'disconnect',
  ): ((origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void)[];
  rawListeners(
    eventName: 'connectionError',
  ): ((origin: URL, targets: readonly Dispatcher[], error: Errors.UndiciError) => void)[];
  rawListeners(eventName: 'drain'): ((origin: URL) => void)[];
  emit(eventName: 'connect', origin: URL, targets: readonly Dispatcher[]): boolean;
  emit(
    eventName: 'disconnect',
    origin: URL,
    targets: readonly Dispatcher[],
    error: Errors.UndiciError,
  ): boolean;
  emit(
    eventName: 'connectionError',
    origin: URL,
    targets: readonly Dispatcher[],
    error: Errors.UndiciError,
  ): boolean;
  emit(eventName: 'drain', origin: URL): boolean;
}

declare namespace Dispatcher {
  export interface ComposedDispatcher extends Dispatcher {}
  export type Dispatch = Dispatcher['dispatch'];
  export type DispatcherComposeInterceptor = (dispatch: Dispatch) => Dispatch;
  export interface DispatchOptions {
    origin?: string | URL;
    path: string;
    method: HttpMethod;
    body?: string | Buffer | Uint8Array | Readable | null | FormData;
    headers?: UndiciHeaders;
    query?: Record<string, any>;
    idempotent?: boolean;
    blocking?: boolean;
    typeOfService?: number | null;
    upgrade?: boolean | string | null;
    headersTimeout?: number | null;
    bodyTimeout?: number | null;
    reset?: boolean;
    throwOnError?: boolean;
    expectContinue?: boolean;
  }
  export interface ConnectOptions<TOpaque = null> {
    origin: string | URL;
    path: string;
    headers?: UndiciHeaders;
    signal?: AbortSignal | EventEmitter | null;
    opaque?: TOpaque;
    responseHeaders?: 'raw' | null;
  }
  export interface RequestOptions<TOpaque = null> extends DispatchOptions {
    opaque?: TOpaque;
    signal?: AbortSignal | EventEmitter | null;
    onInfo?: (info: { statusCode: number; headers: Record<string, string | string[]> }) => void;
    responseHeaders?: 'raw' | null;
    highWaterMark?: number;
  }
  export interface PipelineOptions<TOpaque = null> extends RequestOptions<TOpaque> {
    objectMode?: boolean;
  }
  export interface UpgradeOptions {
    path: string;
    method?: string;
    headers?: UndiciHeaders;
    protocol?: string;
    signal?: AbortSignal | EventEmitter | null;
    responseHeaders?: 'raw' | null;
  }
  export interface ConnectData<TOpaque = null> {
    statusCode: number;
    headers: IncomingHttpHeaders;
    socket: Duplex;
    opaque: TOpaque;
  }
  export interface ResponseData<TOpaque = null> {
    statusCode: number;
    statusText: string;
    headers: IncomingHttpHeaders;
    body: BodyReadable & BodyMixin;
    trailers: Record<string, string>;
    opaque: TOpaque;
    context: object;
  }
  export interface PipelineHandlerData<TOpaque = null> {
    statusCode: number;
    headers: IncomingHttpHeaders;
    opaque: TOpaque;
    body: BodyReadable;
    context: object;
  }
  export interface StreamData<TOpaque = null> {
    opaque: TOpaque;
    trailers: Record<string, string>;
  }
  export interface UpgradeData<TOpaque = null> {
    headers: IncomingHttpHeaders;
    socket: Duplex;
    opaque: TOpaque;
  }
  export interface StreamFactoryData<TOpaque = null> {
    statusCode: number;
    headers: IncomingHttpHeaders;
    opaque: TOpaque;
    context: object;
  }
  export type StreamFactory<TOpaque = null> = (data: StreamFactoryData<TOpaque>) => Writable;
  export interface DispatchController {
    get aborted(): boolean;
    get paused(): boolean;
    get reason(): Error | null;
    rawHeaders?: Buffer[] | string[] | IncomingHttpHeaders | null;
    rawTrailers?: Buffer[] | string[] | IncomingHttpHeaders | null;
    abort(reason: Error): void;
    pause(): void;
    resume(): void;
  }
  export interface DispatchHandler {
    onRequestStart?(controller: DispatchController, context: any): void;
    onRequestUpgrade?(
      controller: DispatchController,
      statusCode: number,
      headers: IncomingHttpHeaders,
      socket: Duplex,
    ): void;
    onResponseStart?(
      controller: DispatchController,
      statusCode: number,
      headers: IncomingHttpHeaders,
      statusMessage?: string,
    ): void;
    onResponseData?(controller: DispatchController, chunk: Buffer): void;
    onResponseEnd?(controller: DispatchController, trailers: IncomingHttpHeaders): void;
    onResponseError?(controller: DispatchController, error: Error): void;
    onConnect?(abort: (err?: Error) => void): void;
    onError?(err: Error): void;
    onUpgrade?(statusCode: number, headers: Buffer[] | string[] | null, socket: Duplex): void;
    onResponseStarted?(): void;
    onHeaders?(
      statusCode: number,
      headers: Buffer[],
      resume: () => void,
      statusText: string,
    ): boolean;
    onData?(chunk: Buffer): boolean;
    onComplete?(trailers: string[] | null): void;
    onBodySent?(chunkSize: number, totalBytesSent: number): void;
  }
  export type PipelineHandler<TOpaque = null> = (data: PipelineHandlerData<TOpaque>) => Readable;
  export type HttpMethod = Autocomplete<
    'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'CONNECT' | 'OPTIONS' | 'TRACE' | 'PATCH'
  >;
  interface BodyMixin {
    readonly body?: never;
    readonly bodyUsed: boolean;
    arrayBuffer(): Promise<ArrayBuffer>;
    blob(): Promise<Blob>;
    bytes(): Promise<Uint8Array>;
    formData(): Promise<never>;
    json(): Promise<unknown>;
    text(): Promise<string>;
  }
  export interface DispatchInterceptor {
    (dispatch: Dispatch): Dispatch;
  }
}

declare namespace Errors {
  export class UndiciError extends Error {
    name: string;
    code: string;
  }
  export class ConnectTimeoutError extends UndiciError {
    name: 'ConnectTimeoutError';
    code: 'UND_ERR_CONNECT_TIMEOUT';
  }
  export class HeadersTimeoutError extends UndiciError {
    name: 'HeadersTimeoutError';
    code: 'UND_ERR_HEADERS_TIMEOUT';
  }
  export class HeadersOverflowError extends UndiciError {
    name: 'HeadersOverflowError';
    code: 'UND_ERR_HEADERS_OVERFLOW';
  }
  export class BodyTimeoutError extends UndiciError {
    name: 'BodyTimeoutError';
    code: 'UND_ERR_BODY_TIMEOUT';
  }
  export class ResponseError extends UndiciError {
    constructor(
      message: string,
      code: number,
      options: {
        headers?: IncomingHttpHeaders | string[] | null;
        body?: null | Record<string, any> | string;
      },
    );
    name: 'ResponseError';
    code: 'UND_ERR_RESPONSE';
    statusCode: number;
    body: null | Record<string, any> | string;
    headers: IncomingHttpHeaders | string[] | null;
  }
  export class InvalidArgumentError extends UndiciError {
    name: 'InvalidArgumentError';
    code: 'UND_ERR_INVALID_ARG';
  }
  export class InvalidReturnValueError extends UndiciError {
    name: 'InvalidReturnValueError';
    code: 'UND_ERR_INVALID_RETURN_VALUE';
  }
  export class RequestAbortedError extends UndiciError {
    name: 'AbortError';
    code: 'UND_ERR_ABORTED';
  }
  export class InformationalError extends UndiciError {
    name: 'InformationalError';
    code: 'UND_ERR_INFO';
  }
  export class RequestContentLengthMismatchError extends UndiciError {
    name: 'RequestContentLengthMismatchError';
    code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH';
  }
  export class ResponseContentLengthMismatchError extends UndiciError {
    name: 'ResponseContentLengthMismatchError';
    code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  }
  export class ClientDestroyedError extends UndiciError {
    name: 'ClientDestroyedError';
    code: 'UND_ERR_DESTROYED';
  }
  export class ClientClosedError extends UndiciError {
    name: 'ClientClosedError';
    code: 'UND_ERR_CLOSED';
  }
  export class SocketError extends UndiciError {
    name: 'SocketError';
    code: 'UND_ERR_SOCKET';
    socket: Client.SocketInfo | null;
  }
  export class NotSupportedError extends UndiciError {
    name: 'NotSupportedError';
    code: 'UND_ERR_NOT_SUPPORTED';
  }
  export class BalancedPoolMissingUpstreamError extends UndiciError {
    name: 'MissingUpstreamError';
    code: 'UND_ERR_BPL_MISSING_UPSTREAM';
  }
  export class HTTPParserError extends UndiciError {
    name: 'HTTPParserError';
    code: string;
  }
  export class ResponseExceededMaxSizeError extends UndiciError {
    name: 'ResponseExceededMaxSizeError';
    code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  }
  export class RequestRetryError extends UndiciError {
    constructor(
      message: string,
      statusCode: number,
      headers?: IncomingHttpHeaders | string[] | null,
      body?: null | Record<string, any> | string,
    );
    name: 'RequestRetryError';
    code: 'UND_ERR_REQ_RETRY';
    statusCode: number;
    data: {
      count: number;
    };
    headers: Record<string, string | string[]>;
  }
  export class SecureProxyConnectionError extends UndiciError {
    constructor(cause?: Error, message?: string, options?: Record<any, any>);
    name: 'SecureProxyConnectionError';
    code: 'UND_ERR_PRX_TLS';
  }
  export class MaxOriginsReachedError extends UndiciError {
    name: 'MaxOriginsReachedError';
    code: 'UND_ERR_MAX_ORIGINS_REACHED';
  }
  export class Socks5ProxyError extends UndiciError {
    constructor(message?: string, code?: string);
    name: 'Socks5ProxyError';
    code: string;
  }
  export class MessageSizeExceededError extends UndiciError {
    name: 'MessageSizeExceededError';
    code: 'UND_ERR_WS_MESSAGE_SIZE_EXCEEDED';
  }
}

type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
    maxResponseBytes?: number;
  },
) => Promise<{
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body?: unknown;
  text(): Promise<string>;
}>;

export declare class FormData {
  append(name: string, value: unknown, fileName?: string): void;
  set(name: string, value: unknown, fileName?: string): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  delete(name: string): void;
  forEach: (
    callbackfn: (value: FormDataEntryValue, key: string, iterable: FormData) => void,
    thisArg?: unknown,
  ) => void;
  keys: () => SpecIterableIterator<string>;
  values: () => SpecIterableIterator<FormDataEntryValue>;
  entries: () => SpecIterableIterator<[string, FormDataEntryValue]>;
  [Symbol.iterator]: () => SpecIterableIterator<[string, FormDataEntryValue]>;
  readonly [Symbol.toStringTag]: string;
}

declare type FormDataEntryValue = string | File;

export type IncomingHttpHeaders = Record<string, string | string[] | undefined>;

export interface PooledFetch extends Fetch {
  close(): Promise<void>;
}

export interface PooledFetchOptions {
  connections?: number | undefined;
  dispatcher?: Dispatcher | undefined;
}

interface RelativeIndexable<T> {
  at(index: number): T | undefined;
}

interface ResponseHeaders {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

export interface SpecIterableIterator<T> extends SpecIteratorObject<T> {
  [Symbol.iterator](): SpecIterableIterator<T>;
}

export interface SpecIterator<T, TReturn = any, TNext = undefined> {
  next(...args: [] | [TNext]): IteratorResult<T, TReturn>;
}

export interface SpecIteratorObject<T, TReturn = undefined, TNext = unknown>
  extends SpecIterator<T, TReturn, TNext> {
  [Symbol.iterator](): SpecIteratorObject<T, TReturn, TNext>;
  map<U>(callbackfn: (value: T, index: number) => U): SpecIteratorObject<U>;
  filter<S extends T>(predicate: (value: T, index: number) => value is S): SpecIteratorObject<S>;
  filter(predicate: (value: T, index: number) => unknown): SpecIteratorObject<T>;
  take(limit: number): SpecIteratorObject<T>;
  drop(count: number): SpecIteratorObject<T>;
  flatMap<U>(
    callbackfn: (value: T, index: number) => Iterator<U> | Iterable<U>,
  ): SpecIteratorObject<U>;
  reduce(callbackfn: (previousValue: T, currentValue: T, currentIndex: number) => T): T;
  reduce(
    callbackfn: (previousValue: T, currentValue: T, currentIndex: number) => T,
    initialValue: T,
  ): T;
  reduce<U>(
    callbackfn: (previousValue: U, currentValue: T, currentIndex: number) => U,
    initialValue: U,
  ): U;
  toArray(): T[];
  forEach(callbackfn: (value: T, index: number) => void): void;
  some(predicate: (value: T, index: number) => unknown): boolean;
  every(predicate: (value: T, index: number) => unknown): boolean;
  find<S extends T>(predicate: (value: T, index: number) => value is S): S | undefined;
  find(predicate: (value: T, index: number) => unknown): T | undefined;
  readonly [Symbol.toStringTag]: string;
}

interface Uint8Array extends RelativeIndexable<number> {}

export type UndiciHeaders =
  | Record<string, string | string[]>
  | IncomingHttpHeaders
  | string[]
  | Iterable<[string, string | string[] | undefined]>
  | null;

declare function buildConnector(options?: buildConnector.BuildOptions): buildConnector.connector;

declare namespace buildConnector {
  export type BuildOptions = (ConnectionOptions | TcpNetConnectOpts | IpcNetConnectOpts) & {
    allowH2?: boolean;
    maxCachedSessions?: number | null;
    socketPath?: string | null;
    timeout?: number | null;
    port?: number;
    keepAlive?: boolean | null;
    keepAliveInitialDelay?: number | null;
    typeOfService?: number | null;
  };
  export interface Options {
    hostname: string;
    host?: string;
    protocol: string;
    port: string;
    servername?: string;
    localAddress?: string | null;
    socketPath?: string | null;
    httpSocket?: Socket;
  }
  export type Callback = (...args: CallbackArgs) => void;
  type CallbackArgs = [null, Socket | TLSSocket] | [Error, null];
  export interface connector {
    (options: buildConnector.Options, callback: buildConnector.Callback): void;
  }
}

export declare function createPooledFetch(options?: PooledFetchOptions): PooledFetch;
