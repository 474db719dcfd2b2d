import { fail } from '../contract/errors.ts'
import { maxBytes, maxFrameBytes } from './frame-limits.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A value on its way: JSON, with its byte arrays beside it. `x` says that `v` holds places to fill in. */
export interface Payload {
  readonly v?: Json
  readonly b?: readonly Uint8Array[]
  readonly x?: 1
}

/** Stands for something that stays on its side and is only named over there. */
export class Reference {
  readonly data: Json
  constructor(data: Json) {
    this.data = data
  }
}

export interface Codec {
  /** Copies; `where` begins the path by which a wrong value is named. */
  encode(value: unknown, where: string): Payload
  decode(payload: Payload): unknown
}

export interface CodecOptions {
  /** Makes a reference of a value that is not plain, where that is allowed. */
  readonly refer?: (value: object) => Reference | undefined
  readonly resolve?: (data: Json) => unknown
  /** Given: a wrong value is told and replaced by null. Absent: it throws BORDER_VALUE. */
  readonly onViolation?: ((path: string, problem: string) => void) | undefined
}

// No lawful key begins like this, so a place cannot be confused with data.
const placeKey = '\u0000'
const tooDeep = 100

/** JSON plus bytes, checked while it is copied. */
export function createCodec(options: CodecOptions = {}): Codec {
  return {
    encode: (value, where) => {
      if (value === undefined) return {}
      const walk = new Walk(where, options)
      const v = walk.copy(value)
      if (walk.places === 0) return { v }
      return walk.bytes.length === 0 ? { v, x: 1 } : { v, b: walk.bytes, x: 1 }
    },
    decode: ({ v, b, x }) => (x ? fill(v as Json, b ?? [], options) : v),
  }
}

class Walk {
  readonly bytes: Uint8Array[] = []
  places = 0
  private characters = 0
  private byteCount = 0
  private readonly keys: (string | number)[]
  private readonly options: CodecOptions

  constructor(where: string, options: CodecOptions) {
    this.keys = [where]
    this.options = options
  }

  copy(value: unknown): Json {
    switch (typeof value) {
      case 'string':
        this.characters += value.length
        if (this.characters > maxFrameBytes) this.refuseSize(maxFrameBytes)
        return value
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) ? value : this.violation(`${value} is not a number of JSON`)
      case 'object':
        return value === null ? null : this.copyObject(value)
      default:
        return this.refer(value as object)
    }
  }

  private copyObject(value: object): Json {
    if (this.keys.length > tooDeep) return this.violation('it is nested too deep, or contains itself')
    if (Array.isArray(value)) return value.map((item, index) => this.below(index, item))
    if (value instanceof Uint8Array) return this.copyBytes(value)
    if (value instanceof Reference) return this.place({ r: value.data })
    const prototype = Object.getPrototypeOf(value)
    if ((prototype !== Object.prototype && prototype !== null) || Symbol.asyncIterator in value) return this.refer(value)
    const copy: Record<string, Json> = {}
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key]
      if (item === undefined) continue
      if (key === '__proto__' || key.startsWith(placeKey)) this.violation(`the key ${JSON.stringify(key)} is not allowed`)
      else copy[key] = this.below(key, item)
    }
    return copy
  }

  private copyBytes(value: Uint8Array): Json {
    this.byteCount += value.length
    if (value.length > maxFrameBytes) this.refuseSize(maxFrameBytes)
    if (this.byteCount > maxBytes) this.refuseSize(maxBytes)
    return this.place({ b: this.bytes.push(new Uint8Array(value)) - 1 })
  }

  /** Before it is copied: the copy and its text would need several times as much. */
  private refuseSize(limit: number): never {
    throw fail('BORDER_VALUE', { path: this.keys.join('.'), problem: `it is larger than ${limit} bytes` })
  }

  private below(key: string | number, value: unknown): Json {
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value
    if (typeof value === 'string' && value.length <= maxFrameBytes - this.characters) {
      this.characters += value.length
      return value
    }
    this.keys.push(key)
    const copy = this.copy(value)
    this.keys.pop()
    return copy
  }

  private place(content: Json): Json {
    this.places += 1
    return { [placeKey]: content }
  }

  private refer(value: object): Json {
    const reference = value === undefined ? undefined : this.options.refer?.(value)
    return reference ? this.place({ r: reference.data }) : this.violation(`${nameOf(value)} is neither JSON nor bytes`)
  }

  private violation(problem: string): Json {
    const path = this.keys.join('.')
    if (!this.options.onViolation) throw fail('BORDER_VALUE', { path, problem })
    this.options.onViolation(path, problem)
    return null
  }
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? `a ${value.constructor?.name ?? 'object'}` : `a value of type ${typeof value}`
}

function fill(value: Json, bytes: readonly Uint8Array[], options: CodecOptions): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => fill(item as Json, bytes, options))
  const place = (value as Record<string, Json>)[placeKey] as { b?: number; r?: Json } | undefined
  if (place?.b !== undefined) return bytes[place.b]
  if (place?.r !== undefined) return options.resolve?.(place.r)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, bytes, options)]))
}
