import { type Context, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import type { Meter } from './meter.ts'
import { formatMetrics, formatTraces, type Resource, type Span } from './otlp.ts'

/** Sends what gathers to a collector, now and then. */
export interface Exporter {
  add(span: Span): void
  /** Sends what is left. */
  close(): Promise<void>
}

/** A collector that is away loses what is older. */
const mostSpans = 2_000
const answerWithinMs = 10_000

type World = Pick<Context<Config>, 'fetch' | 'clock' | 'log' | 'config'>

export interface ExporterOptions {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Resource
  readonly meter: Meter
}

export function openExporter({ fetch, clock, log, config }: World, { endpoint, headers, resource, meter }: ExporterOptions): Exporter {
  const since = clock.now()
  const over = new AbortController()
  /** Oldest first. */
  let spans: Span[] = []
  let dropped = 0
  let isAway = false

  async function post(path: string, body: string): Promise<void> {
    const request = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
    const limit = { clock, ms: answerWithinMs, what: 'Sending measurements' }
    const answer = await withTimeLimit(limit, (signal) => fetch(`${endpoint.replace(/\/+$/, '')}${path}`, { ...request, signal }))
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`it answered ${answer.status} to ${path}`)
  }

  async function send(): Promise<void> {
    const sent = spans
    spans = []
    try {
      if (sent.length > 0) await post('/v1/traces', formatTraces(resource, sent))
      const series = meter.series()
      if (series.length > 0) await post('/v1/metrics', formatMetrics(resource, series, { since, now: clock.now() }))
      if (isAway) log.info('the collector takes measurements again', { endpoint, dropped })
      isAway = false
      dropped = 0
    } catch (error) {
      spans.unshift(...sent)
      makeRoom()
      // Said once: it may be away for days.
      if (!isAway) log.warn(`the collector does not take measurements: ${detailOf(error)}`, { endpoint })
      isAway = true
    }
  }

  function makeRoom(): void {
    const tooMany = Math.max(0, spans.length - mostSpans)
    dropped += tooMany
    spans.splice(0, tooMany)
  }

  const sending = (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(config.interval_seconds * 1000, over.signal).catch(() => undefined)
      if (!over.signal.aborted) await send()
    }
  })()

  return {
    add(span) {
      spans.push(span)
      makeRoom()
    },
    async close() {
      over.abort(fail('INTERRUPTED'))
      await sending
      await send()
    },
  }
}

/** `name=value,name=value`, as OpenTelemetry writes it: values are percent-encoded. */
export function parseHeaders(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const at = pair.indexOf('=')
        const name = pair.slice(0, at).trim().toLowerCase()
        if (at < 1 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
          throw fail('ENV_INVALID', { name: 'OTEL_EXPORTER_OTLP_HEADERS', problem: 'is not name=value, several with commas between them' })
        return [name, decodeURIComponent(pair.slice(at + 1).trim())]
      }),
  )
}
