import { runInNewContext } from 'node:vm'
import { fail } from '@agent/plugin-sdk/errors'

const inSlashes = /^\/(.+)\/([a-z]*)$/s

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
  return fitsPattern(wanted, text) ?? text.includes(wanted)
}

/** A text in slashes is a pattern; any other has to be the whole. */
export function isWhole(wanted: string, text: string): boolean {
  return fitsPattern(wanted, text) ?? wanted === text
}

const mostMs = 1000

/** Undefined where it is no pattern. Throws TIMED_OUT: one that tries all ways through a text would hold everything up, Ctrl-C too. */
function fitsPattern(wanted: string, text: string): boolean | undefined {
  const [, source, flags = ''] = inSlashes.exec(wanted) ?? []
  if (source === undefined) return undefined
  // A pattern that remembers where it was would give another answer the second time.
  const ground = { source, flags: flags.replaceAll(/[gy]/g, ''), text }
  try {
    return runInNewContext('new RegExp(source, flags).test(text)', ground, { timeout: mostMs }) === true
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw fail('TIMED_OUT', { what: `The pattern ${wanted}`, ms: mostMs })
  }
}
