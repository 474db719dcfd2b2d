import { Buffer } from 'node:buffer'
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

// Written as text: objects of which JSON is made took three times as long, and there are some for each turn.
const quote = JSON.stringify as (text: string) => string
const listOf = (texts: readonly string[]): string => `[${texts.join()}]`

/** `spans`: what `formatSpan` wrote, with commas between. */
export function formatTraces(resource: Resource, spans: Uint8Array): Buffer {
  const head = `{"resourceSpans":[{"resource":${formatResource(resource)},"scopeSpans":[{"scope":${formatScope(resource)},"spans":[`
  return Buffer.concat([Buffer.from(head), spans, Buffer.from(']}]}]}')])
}

interface Times {
  readonly since: number
  readonly now: number
}

export function formatMetrics(resource: Resource, series: readonly Series[], times: Times): string {
  const metrics = [...new Set(series.map(({ instrument }) => instrument))].map(({ name, unit, description }) => {
    const points = series.filter(({ instrument }) => instrument.name === name).map((each) => formatPoint(each, times))
    const histogram = `{"aggregationTemporality":${cumulative},"dataPoints":${listOf(points)}}`
    return `{"name":${quote(name)},"unit":${quote(unit)},"description":${quote(description)},"histogram":${histogram}}`
  })
  const scoped = `{"scope":${formatScope(resource)},"metrics":${listOf(metrics)}}`
  return `{"resourceMetrics":[{"resource":${formatResource(resource)},"scopeMetrics":[${scoped}]}]}`
}

const formatResource = ({ name, version }: Resource): string =>
  `{"attributes":[${formatAttributes({ 'service.name': name, 'service.version': version })}]}`

const formatScope = ({ version }: Resource): string => `{"name":"agent.telemetry","version":${quote(version)}}`

export function formatSpan({ turn, isTurn, name, kind, startedAt, endedAt, attributes, error }: Span): string {
  const { trace, root } = idsOf(turn)
  const place = isTurn ? `"spanId":"${root}"` : `"spanId":"${newSpanId()}","parentSpanId":"${root}"`
  const times = `"startTimeUnixNano":"${nanoseconds(startedAt)}","endTimeUnixNano":"${nanoseconds(endedAt)}"`
  const told = formatAttributes(error === null ? attributes : { 'error.type': error, ...attributes })
  const status = error === null ? '{}' : `{"code":${failed},"message":${quote(error)}}`
  const about = `"name":${quote(name)},"kind":${kinds[kind]},"attributes":[${told}],"status":${status}`
  return `{"traceId":"${trace}",${place},${times},${about}}`
}

/** The parts of a turn are told before the turn is, so its ids are made of its name. */
function idsOf(turn: string): { readonly trace: string; readonly root: string } {
  const digest = hash('sha256', turn, 'hex')
  return { trace: digest.slice(0, 32), root: digest.slice(32, 48) }
}

/** Told apart within a trace; nobody has to be kept from guessing it. */
const newSpanId = (): string => newHalf() + newHalf()
const newHalf = (): string => (1 + Math.floor(Math.random() * 0xffff_fffe)).toString(16).padStart(8, '0')

function formatPoint({ attributes, buckets, count, sum, instrument }: Series, { since, now }: Times): string {
  const times = `"startTimeUnixNano":"${nanoseconds(since)}","timeUnixNano":"${nanoseconds(now)}"`
  const counts = `"bucketCounts":${listOf(buckets.map((each) => `"${each}"`))},"explicitBounds":${listOf(instrument.bounds.map(String))}`
  return `{"attributes":[${formatAttributes(attributes)}],${times},"count":"${count}","sum":${sum},${counts}}`
}

const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`

/** Their keys are names of the conventions: nothing in them has to be quoted. */
function formatAttributes(attributes: Readonly<Record<string, Value>>): string {
  let text = ''
  for (const key in attributes) text += `${text === '' ? '' : ','}{"key":"${key}","value":${formatValue(attributes[key] ?? '')}}`
  return text
}

function formatValue(value: Value): string {
  if (typeof value === 'string') return `{"stringValue":${quote(value)}}`
  if (typeof value === 'number') return Number.isInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`
  return `{"arrayValue":{"values":${listOf(value.map(formatValue))}}}`
}
