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

/** What a server says in JSON; undefined, and read no further, where that is more than `most` bytes. Rejects where it is no JSON. */
export async function readJson({ body }: Pick<Reply, 'body'>, most: number): Promise<unknown> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    bytes += next.value?.byteLength ?? 0
    if (bytes > most) {
      await reader?.cancel()
      return undefined
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return JSON.parse(text + decoder.decode())
}
