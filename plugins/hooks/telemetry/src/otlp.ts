import { hash } from 'node:crypto'
import type { Series } from './meter.ts'

// The JSON form of opentelemetry-proto 1.x: ids in hex, 64-bit numbers as text (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding").

type Value = string | number | readonly string[]

/** Something that took a while; times are milliseconds since 1970. */
export interface Span {
  /** Id of its turn: what has the same one is one trace. */
  readonly turn: string
  /** The turn itself, of which all others are parts. */
  readonly isTurn: boolean
  readonly name: string
  readonly kind: 'internal' | 'client'
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, Value>>
  /** Code of what went wrong. */
  readonly error: string | null
}

export interface Resource {
  readonly name: string
  readonly version: string
}

const kinds = { internal: 1, client: 3 } as const
const failed = 2
const cumulative = 2

export function formatTraces(resource: Resource, spans: readonly Span[]): string {
  return JSON.stringify({
    resourceSpans: [{ resource: describe(resource), scopeSpans: [{ scope: scopeOf(resource), spans: spans.map(formatSpan) }] }],
  })
}

export function formatMetrics(
  resource: Resource,
  series: readonly Series[],
  times: { readonly since: number; readonly now: number },
): string {
  const metrics = [...new Set(series.map(({ instrument }) => instrument))].map((instrument) => {
    const { name, unit, description } = instrument
    const points = series.filter((each) => each.instrument === instrument).map((each) => formatPoint(each, times))
    return { name, unit, description, histogram: { aggregationTemporality: cumulative, dataPoints: points } }
  })
  return JSON.stringify({ resourceMetrics: [{ resource: describe(resource), scopeMetrics: [{ scope: scopeOf(resource), metrics }] }] })
}

function describe({ name, version }: Resource) {
  return { attributes: formatAttributes({ 'service.name': name, 'service.version': version }) }
}

const scopeOf = ({ version }: Resource) => ({ name: 'agent.telemetry', version })

function formatSpan({ turn, isTurn, name, kind, startedAt, endedAt, attributes, error }: Span) {
  const { trace, root } = idsOf(turn)
  return {
    traceId: trace,
    spanId: isTurn ? root : newSpanId(),
    ...(isTurn ? {} : { parentSpanId: root }),
    ...{ name, kind: kinds[kind], startTimeUnixNano: nanoseconds(startedAt), endTimeUnixNano: nanoseconds(endedAt) },
    attributes: formatAttributes({ ...attributes, ...(error === null ? {} : { 'error.type': error }) }),
    status: error === null ? {} : { code: failed, message: error },
  }
}

/** The parts of a turn are told before the turn is, so its ids are made of its name. */
function idsOf(turn: string): { readonly trace: string; readonly root: string } {
  const digest = hash('sha256', turn, 'hex')
  return { trace: digest.slice(0, 32), root: digest.slice(32, 48) }
}

/** Told apart within a trace; nobody has to be kept from guessing it. */
const newSpanId = (): string => newHalf() + newHalf()
const newHalf = (): string => (1 + Math.floor(Math.random() * 0xffff_fffe)).toString(16).padStart(8, '0')

function formatPoint(
  { attributes, buckets, count, sum, instrument }: Series,
  { since, now }: { readonly since: number; readonly now: number },
) {
  return {
    ...{ attributes: formatAttributes(attributes), startTimeUnixNano: nanoseconds(since), timeUnixNano: nanoseconds(now) },
    ...{ count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: instrument.bounds },
  }
}

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms)) * 1_000_000n)

function formatAttributes(attributes: Readonly<Record<string, Value>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: formatValue(value) }))
}

function formatValue(value: Value) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } }
}
