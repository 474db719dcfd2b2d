/** The JSON of a text; undefined where it is none. What it holds is still unknown: parse it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
