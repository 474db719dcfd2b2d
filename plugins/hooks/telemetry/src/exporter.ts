import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Context, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import type { Meter } from './meter.ts'
import { formatMetrics, formatSpan, formatTraces, type Resource, type Span } from './otlp.ts'
import { createPile, type Taken } from './pile.ts'

/** Sends what gathers to a collector, now and then. */
export interface Exporter {
  add(span: Span): void
  /** Sends what is left. */
  close(): Promise<void>
}

/** Spans go out before their time once so many wait. */
const batch = 512
/** A collector that is away or too slow loses what is older. */
const mostSpans = 2_000
const answerWithinMs = 10_000

type World = Pick<Context<Config>, 'fetch' | 'clock' | 'log' | 'config'>

export interface ExporterOptions {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Resource
  readonly meter: Meter
}

export function openExporter(world: World, options: ExporterOptions): Exporter {
  const { clock, config } = world
  const { meter, resource } = options
  const since = clock.now()
  const post = createPost(world, options)
  const waiting = createWaiting(world, options)
  const over = new AbortController()
  let wake = (): void => undefined

  async function sendSpans(): Promise<void> {
    if (waiting.count() === 0) return
    const taken = waiting.take()
    try {
      await post('/v1/traces', formatTraces(resource, taken.bytes.subarray(0, -1)))
    } catch (error) {
      waiting.putBack(taken)
      throw error
    }
  }

  async function sendAll(): Promise<void> {
    await sendSpans()
    const series = meter.series()
    if (series.length > 0) await post('/v1/metrics', formatMetrics(resource, series, { since, now: clock.now() }))
  }

  const attempt = (send: () => Promise<void>): Promise<void> => send().then(waiting.arrived, waiting.failed)

  async function untilDue(): Promise<void> {
    let isDue = false
    const end = (): void => {
      isDue = true
      wake()
    }
    clock.sleep(config.interval_seconds * 1000, over.signal).then(end, end)
    while (!isDue) {
      if (waiting.isFull()) await attempt(sendSpans)
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }

  const sending = (async () => {
    while (!over.signal.aborted) {
      await untilDue()
      if (!over.signal.aborted) await attempt(sendAll)
    }
  })()

  return {
    add(span) {
      waiting.add(span)
      if (waiting.isFull()) wake()
    },
    async close() {
      over.abort(fail('INTERRUPTED'))
      await sending
      await attempt(sendAll)
    },
  }
}

const pack = promisify(gzip)

function createPost({ fetch, clock, config }: World, { endpoint, headers }: ExporterOptions) {
  const isPacked = config.compression === 'gzip'
  const about = { ...headers, 'content-type': 'application/json', ...(isPacked && { 'content-encoding': 'gzip' }) }
  return async (path: string, text: string | Uint8Array): Promise<void> => {
    // Packing takes a little less of the processor than handing all bytes to the network does, and another thread does it.
    const body = isPacked ? await pack(text, { level: 1 }) : text
    const request = { method: 'POST', body, headers: about }
    const limit = { clock, ms: answerWithinMs, what: 'Sending measurements' }
    const answer = await withTimeLimit(limit, (signal) => fetch(`${endpoint.replace(/\/+$/, '')}${path}`, { ...request, signal }))
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`it answered ${answer.status} to ${path}`)
  }
}

/** Spans that the collector has not taken yet, and what is said of it. */
function createWaiting({ log }: World, { endpoint }: ExporterOptions) {
  const pile = createPile()
  let dropped = 0
  let isAway = false
  const makeRoom = (): void => {
    const tooMany = pile.count() - mostSpans
    if (tooMany <= 0) return
    dropped += tooMany
    pile.drop(tooMany)
  }
  return {
    count: pile.count,
    take: pile.take,
    /** Enough waits for a request before its time. A collector that is away is asked at its time alone. */
    isFull: () => pile.count() >= batch && !isAway,
    add(span: Span): void {
      pile.add(formatSpan(span))
      makeRoom()
    },
    putBack(taken: Taken): void {
      pile.putBack(taken)
      makeRoom()
    },
    arrived(): void {
      if (isAway) log.info('the collector takes measurements again', { endpoint, dropped })
      else if (dropped > 0) log.warn('the collector takes measurements too slowly, so the oldest are lost', { endpoint, dropped })
      isAway = false
      dropped = 0
    },
    failed(error: unknown): void {
      // Said once: it may be away for days.
      if (!isAway) log.warn(`the collector does not take measurements: ${detailOf(error)}`, { endpoint })
      isAway = true
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
