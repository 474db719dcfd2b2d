import { type AgentError, fail } from '../contract/errors.ts'
import { credit, creditSize, sizeOf } from './served.ts'

/** Items that arrived before the reader asked, or readers that asked before they arrived. */
export class Queue {
  onTaken: (count: number) => void = () => undefined
  private items: unknown[] = []
  /** Of each of them; looking through an item takes longer than handing it over. */
  private sizes: number[] = []
  private at = 0
  private taken = 0
  private takenSize = 0
  /** Of the items that wait. */
  private size = 0
  private ended: { error?: AgentError | undefined } | undefined
  private readonly readers: { resolve(result: IteratorResult<unknown>): void; reject(error: unknown): void }[] = []

  push(values: readonly unknown[]): void {
    if (this.ended) return
    if (this.items.length - this.at > credit * 2)
      throw fail('BORDER_VALUE', { path: 'stream', problem: 'it runs further ahead than it may' })
    for (const value of values) {
      const size = sizeOf(value)
      const reader = this.readers.shift()
      if (reader) reader.resolve({ done: false, value: this.take(value, size) })
      else this.keep(value, size)
    }
  }

  finish(error?: AgentError): void {
    if (this.ended) return
    this.ended = { error }
    for (const reader of this.readers.splice(0)) this.settle(reader)
  }

  abandon(): void {
    this.empty()
    this.ended = {}
    for (const reader of this.readers.splice(0)) this.settle(reader)
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.at < this.items.length) {
      const value = this.items[this.at]
      const size = this.sizes[this.at] ?? 0
      // What was read is not held until the rest is read too.
      this.items[this.at] = undefined
      this.size -= size
      this.at += 1
      if (this.at === this.items.length) this.empty()
      return Promise.resolve({ done: false, value: this.take(value, size) })
    }
    return new Promise((resolve, reject) => {
      if (this.ended) this.settle({ resolve, reject })
      else this.readers.push({ resolve, reject })
    })
  }

  private keep(value: unknown, size: number): void {
    if (this.size > creditSize * 2) throw fail('BORDER_VALUE', { path: 'stream', problem: 'it runs further ahead than it may' })
    this.size += size
    this.items.push(value)
    this.sizes.push(size)
  }

  private empty(): void {
    this.items = []
    this.sizes = []
    this.at = 0
  }

  private settle(reader: { resolve(result: IteratorResult<unknown>): void; reject(error: unknown): void }): void {
    const error = this.ended?.error
    this.ended = {}
    if (error) reader.reject(error)
    else reader.resolve({ done: true, value: undefined })
  }

  private take<T>(value: T, size: number): T {
    this.taken += 1
    this.takenSize += size
    if (this.taken === credit / 2 || this.takenSize > creditSize / 16) {
      const { taken } = this
      this.taken = 0
      this.takenSize = 0
      this.onTaken(taken)
    }
    return value
  }
}
