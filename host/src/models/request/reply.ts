/** The bytes of an answer, piece by piece. A piece holds until the next one is asked for. */
export interface PieceReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** An answer as far as it is read here; a `Response` has all of it. */
export interface Reply {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  readonly body: { getReader(): PieceReader } | null
  text(): Promise<string>
  json(): Promise<unknown>
}
