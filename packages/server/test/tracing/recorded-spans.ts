import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** The spans of a provider that is registered until the running test ends, as a program that embeds the server does it. */
export class RecordedSpans implements SpanProcessor {
  /** Those that have ended. */
  readonly ended: ReadableSpan[] = [];
  /** The names of those that have started. */
  readonly started: string[] = [];
  readonly #checks = new Set<() => void>();

  /** Registers a provider. */
  static register(): RecordedSpans {
    const spans = new RecordedSpans();
    const provider = new BasicTracerProvider({ spanProcessors: [spans] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(provider);
    onTestFinished(async () => {
      await provider.shutdown();
      trace.disable();
      propagation.disable();
      context.disable();
    });
    return spans;
  }

  onStart({ name }: { name: string }): void {
    this.started.push(name);
    this.#check();
  }

  onEnd(span: ReadableSpan): void {
    this.ended.push(span);
    this.#check();
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  /** Waits until this is true of the spans. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }

  /** Waits for the first span with this name. */
  async first(name: string): Promise<ReadableSpan> {
    const [span] = await this.all(name, 1);
    return span as ReadableSpan;
  }

  /** Waits until as many spans with this name have ended. */
  async all(name: string, count: number): Promise<ReadableSpan[]> {
    const find = () => this.ended.filter((span) => span.name === name);
    await this.until(() => find().length >= count);
    return find();
  }

  #check(): void {
    for (const check of this.#checks) check();
  }
}
