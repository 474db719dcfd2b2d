import { detailOf, fail } from '../contract/errors.ts'
import { findJsonExcess } from '../contract/json-excess.ts'

/** The JSON of a text; undefined where it is none, is nested so deep that nothing could be done with it, or holds more than `mostValues`. What it holds is still unknown: parse it. */
export function parseJson(text: string, { mostValues = Number.POSITIVE_INFINITY } = {}): unknown {
  if (findJsonExcess(text, { mostValues }) !== undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON that a stranger sent; throws HTTP_BAD_JSON, also where it is nested too deep or holds too many values to be held. */
export function readJson(text: string): unknown {
  const excess = findJsonExcess(text)
  if (excess !== undefined) throw fail('HTTP_BAD_JSON', { detail: excess })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fail('HTTP_BAD_JSON', { detail: detailOf(cause) }, { cause })
  }
}
