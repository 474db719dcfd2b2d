const inSlashes = /^\/(.+)\/([dgimsuvy]*)$/s

/** Why a text that looks like a pattern is none; undefined where it is fine. */
export function misfitOfPattern(text: string): string | undefined {
  const [, source, flags] = inSlashes.exec(text) ?? []
  if (source === undefined) return undefined
  try {
    new RegExp(source, flags)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** A text in slashes is a pattern; any other has to occur. */
export function occursIn(wanted: string, text: string): boolean {
  return readPattern(wanted)?.test(text) ?? text.includes(wanted)
}

/** A text in slashes is a pattern; any other has to be the whole. */
export function isWhole(wanted: string, text: string): boolean {
  return readPattern(wanted)?.test(text) ?? wanted === text
}

function readPattern(wanted: string): RegExp | undefined {
  const [, source, flags = ''] = inSlashes.exec(wanted) ?? []
  // A pattern that remembers where it was would give another answer the second time.
  return source === undefined ? undefined : new RegExp(source, flags.replaceAll(/[gy]/g, ''))
}
