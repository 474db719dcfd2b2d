/** All bytes of an answer; undefined, and read no further, where there are more than `most`. */
export async function readAnswer({ body }: Pick<Response, 'body'>, most: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
