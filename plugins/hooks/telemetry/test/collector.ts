import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'

const nanoseconds = z.string().regex(/^\d{19}$/)
const count = z.string().regex(/^\d+$/)
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
])
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }))
const scope = z.strictObject({ name: z.string(), version: z.string() })
const resource = z.strictObject({ attributes })
const span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(0).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.strictObject({ code: z.int().min(0).max(2).optional(), message: z.string().optional() }),
})
const point = z
  .strictObject({
    ...{ attributes, startTimeUnixNano: nanoseconds, timeUnixNano: nanoseconds, count, sum: z.number() },
    ...{ bucketCounts: z.array(count), explicitBounds: z.array(z.number()) },
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1, 'there is one bucket more than bounds')
  .refine((each) => each.bucketCounts.reduce((sum, bucket) => sum + Number(bucket), 0) === Number(each.count), 'the buckets hold all')
const metric = z.strictObject({
  ...{ name: z.string(), unit: z.string(), description: z.string() },
  histogram: z.strictObject({ aggregationTemporality: z.int().min(1).max(2), dataPoints: z.array(point).min(1) }),
})
const scoped = {
  '/v1/traces': z.strictObject({ scope, spans: z.array(span).min(1) }),
  '/v1/metrics': z.strictObject({ scope, metrics: z.array(metric).min(1) }),
}
const requests = {
  '/v1/traces': z.strictObject({ resourceSpans: z.array(z.strictObject({ resource, scopeSpans: z.array(scoped['/v1/traces']) })) }),
  '/v1/metrics': z.strictObject({ resourceMetrics: z.array(z.strictObject({ resource, scopeMetrics: z.array(scoped['/v1/metrics']) })) }),
}

type Traces = z.output<(typeof requests)['/v1/traces']>['resourceSpans'][number]
type Metrics = z.output<(typeof requests)['/v1/metrics']>['resourceMetrics'][number]
const isPath = (url: string): url is keyof typeof requests => Object.hasOwn(requests, url)
const spansOf = ({ scopeSpans }: Traces): readonly SeenSpan[] => scopeSpans.flatMap(({ spans }) => spans)
const metricsOf = ({ scopeMetrics }: Metrics): readonly SeenMetric[] => scopeMetrics.flatMap(({ metrics }) => metrics)

export type SeenSpan = z.output<typeof span>
export type SeenMetric = z.output<typeof metric>

/** A collector of OTLP over HTTP in its JSON form, with the names and types of opentelemetry-proto; it takes nothing else. */
export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: SeenSpan[]
  /** As they came last. */
  metrics: readonly SeenMetric[]
  readonly complaints: string[]
  readonly headers: IncomingMessage['headers'][]
  /** Answers 503 while it is away. */
  isAway: boolean
  /** It answers nothing before. */
  until: Promise<void>
}

export async function openCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const isPacked = request.headers['content-encoding'] === 'gzip'
    const body = isPacked ? gunzipSync(await buffer(request)).toString() : await text(request)
    collector.headers.push(request.headers)
    await collector.until
    response.writeHead(take(request, body)).end('{}')
  })
  const take = ({ url = '', method, headers }: IncomingMessage, body: string): number => {
    if (collector.isAway) return 503
    const isRequest = method === 'POST' && headers['content-type'] === 'application/json'
    if (!isRequest || !isPath(url)) {
      collector.complaints.push(`${method} ${url} ${headers['content-type']}`)
      return 404
    }
    const read = requests[url].safeParse(JSON.parse(body))
    if (!read.success) collector.complaints.push(z.prettifyError(read.error))
    else if ('resourceSpans' in read.data) collector.spans.push(...read.data.resourceSpans.flatMap(spansOf))
    else collector.metrics = read.data.resourceMetrics.flatMap(metricsOf)
    return read.success ? 200 : 400
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans: [], metrics: [], complaints: [], headers: [], isAway: false, until: Promise.resolve() },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return collector
}
