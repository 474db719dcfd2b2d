import type { HooksWorld } from '@agent/plugin-sdk/testing'
import { openCollector } from './collector.ts'
import { modelEnd, toolEnd, turnEnd } from './events.ts'

/** What the contract suite does with these hooks. */
export async function openWorld(): Promise<HooksWorld> {
  const collector = await openCollector()
  return {
    config: { endpoint: collector.url, prometheus: { port: 0 } },
    secrets: { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=word' },
    events: [
      { hook: 'model.end', event: modelEnd },
      { hook: 'tool.end', event: toolEnd },
      { hook: 'turn.end', event: turnEnd },
    ],
    [Symbol.asyncDispose]: () => collector[Symbol.asyncDispose](),
  }
}
