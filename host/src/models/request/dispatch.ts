import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { PieceReader, Reply } from './reply.ts'

/** The connection pool behind `fetch`. */
export interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean
}

export interface DispatchedRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal: AbortSignal
}

/** So many events are read ahead of the reader of the answer. */
const readAhead = 65_536

/**
 * Sends by the pool itself: web streams, `Request` and `Response` of `fetch` cost more than the rest of a short model call.
 * Redirects are not followed, and the pool's own limits on silence are off: the one limit is the caller's signal.
 */
export function dispatchRequest(dispatcher: Dispatcher, { url, method, headers, body, signal }: DispatchedRequest): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const answer = new Answer(signal, resolve, reject)
    const options = { origin: url.origin, path: url.pathname + url.search, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }
    dispatcher.dispatch(options, answer)
  })
}

/** One answer as it comes in: what the pool calls, and what is read of it. */
class Answer implements Reply, PieceReader {
  status = 0
  statusText = ''
  readonly headers = { get: (name: string): string | null => this.#header(name) }
  readonly body = { getReader: (): PieceReader => this }
  readonly #signal: AbortSignal
  readonly #resolve: (reply: Reply) => void
  readonly #reject: (error: unknown) => void
  readonly #onAbort = (): void => this.onError(this.#signal.reason)
  #rawHeaders: readonly Buffer[] = []
  #pieces: Uint8Array[] = []
  #size = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  #decoder: Transform | undefined
  #cut: ((error: unknown) => void) | undefined
  #resume: () => void = () => undefined

  constructor(signal: AbortSignal, resolve: (reply: Reply) => void, reject: (error: unknown) => void) {
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    signal.addEventListener('abort', this.#onAbort, { once: true })
    if (signal.aborted) this.#onAbort()
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  onConnect(abort: (error: unknown) => void): void {
    if (this.#failure) abort(this.#failure.error)
    else this.#cut = abort
  }

  onHeaders(status: number, rawHeaders: readonly Buffer[], resume: () => void, statusText: string): boolean {
    // What is only said in between, such as 100 or 103, is not the answer.
    if (status < 200) return true
    this.status = status
    this.statusText = statusText
    this.#rawHeaders = rawHeaders
    this.#resume = resume
    this.#decoder = this.#openDecoder()
    this.#resolve(this)
    return true
  }

  onData(piece: Buffer): boolean {
    if (this.#decoder) return this.#decoder.write(piece)
    return this.#add(piece)
  }

  onComplete(): void {
    if (this.#decoder) this.#decoder.end()
    else this.#end()
  }

  onError(error: unknown): void {
    if (this.#ended || this.#failure) return
    this.#failure = { error }
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#cut?.(error)
    this.#decoder?.destroy()
    this.#reject(error)
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  async read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }> {
    if (this.#pieces.length === 0 && !this.#ended) {
      if (this.#failure) throw this.#failure.error
      await new Promise<void>((resolve, reject) => (this.#waiting = { resolve, reject }))
    }
    const value = this.#pieces.shift()
    if (value === undefined) return { done: true }
    const full = this.#size >= readAhead
    this.#size -= value.length
    if (full && this.#size < readAhead) this.#goOn()
    return { done: false, value }
  }

  async cancel(): Promise<void> {
    this.onError(new Error('the rest of the answer is not wanted'))
  }

  async text(): Promise<string> {
    const pieces: Uint8Array[] = []
    for (let next = await this.read(); next.value !== undefined; next = await this.read()) pieces.push(next.value)
    return new TextDecoder().decode(Buffer.concat(pieces))
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  #add(piece: Uint8Array): boolean {
    this.#pieces.push(piece)
    this.#size += piece.length
    this.#wake()
    return this.#size < readAhead
  }

  #end(): void {
    this.#ended = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#wake()
  }

  #wake(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }

  #goOn(): void {
    if (this.#decoder) this.#decoder.resume()
    else this.#resume()
  }

  #header(name: string): string | null {
    for (let at = 0; at + 1 < this.#rawHeaders.length; at += 2) {
      if (this.#rawHeaders[at]?.toString('latin1').toLowerCase() === name) return this.#rawHeaders[at + 1]?.toString('latin1') ?? null
    }
    return null
  }

  /** Nothing compressed is asked for; some servers send it all the same. */
  #openDecoder(): Transform | undefined {
    const open = decoders[this.#header('content-encoding')?.trim().toLowerCase() ?? '']
    const decoder = open?.()
    decoder?.on('data', (piece: Buffer) => void (this.#add(piece) || decoder.pause()))
    decoder?.on('drain', () => this.#resume())
    decoder?.on('end', () => this.#end())
    decoder?.on('error', (error) => this.onError(error))
    return decoder
  }
}

// Flushed with every piece: a streamed answer must not wait for its end.
const gzip = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(gzip),
  'x-gzip': () => createGunzip(gzip),
  deflate: () => createInflate(gzip),
  br: () => createBrotliDecompress(brotli),
}
