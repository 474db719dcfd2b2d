import { type AgentError, fail } from '../contract/errors.ts'
import { credit, creditSize, sizeOf } from './served.ts'

/** Items that arrived before the reader asked, or readers that asked before they arrived. */
export class Queue {
  onTaken: (count: number) => void = () => undefined
  private items: unknown[] = []
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
      const reader = this.readers.shift()
      if (reader) reader.resolve({ done: false, value: this.take(value) })
      else this.keep(value)
    }
  }

  finish(error?: AgentError): void {
    if (this.ended) return
    this.ended = { error }
    for (const reader of this.readers.splice(0)) this.settle(reader)
  }

  abandon(): void {
    this.items = []
    this.at = 0
    this.ended = {}
    for (const reader of this.readers.splice(0)) this.settle(reader)
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.at < this.items.length) {
      const value = this.items[this.at]
      // What was read is not held until the rest is read too.
      this.items[this.at] = undefined
      this.size -= sizeOf(value)
      this.at += 1
      if (this.at === this.items.length) {
        this.items = []
        this.at = 0
      }
      return Promise.resolve({ done: false, value: this.take(value) })
    }
    return new Promise((resolve, reject) => {
      if (this.ended) this.settle({ resolve, reject })
      else this.readers.push({ resolve, reject })
    })
  }

  private keep(value: unknown): void {
    if (this.size > creditSize * 2) throw fail('BORDER_VALUE', { path: 'stream', problem: 'it runs further ahead than it may' })
    this.size += sizeOf(value)
    this.items.push(value)
  }

  private settle(reader: { resolve(result: IteratorResult<unknown>): void; reject(error: unknown): void }): void {
    const error = this.ended?.error
    this.ended = {}
    if (error) reader.reject(error)
    else reader.resolve({ done: true, value: undefined })
  }

  private take<T>(value: T): T {
    this.taken += 1
    this.takenSize += sizeOf(value)
    if (this.taken === credit / 2 || this.takenSize > creditSize / 16) {
      const { taken } = this
      this.taken = 0
      this.takenSize = 0
      this.onTaken(taken)
    }
    return value
  }
}
