import { errors, fromWireError, toWireError } from '../../../contract/errors.ts'
import type { WireError } from '../../../contract/wire.ts'

/** What is wrong with an error that a plugin tells: its code is none of the table, or its sentence lacks a parameter. Undefined where nothing is. */
export function findErrorProblem(error: Pick<WireError, 'code' | 'params'> | undefined): string | undefined {
  const { code, params = {} } = error ?? {}
  if (code === undefined) return 'has no code'
  // INTERNAL is what an error becomes that has no code.
  if (code === 'INTERNAL') return `has no code: ${params.detail}`
  if (!Object.hasOwn(errors, code)) return `has the code ${code}, which is not in the table of errors`
  const harmless = Object.entries(params).map(([key, value]) => [key, typeof value === 'string' ? '…' : value])
  const sentence = fromWireError({ code, params: Object.fromEntries(harmless) }).message
  return sentence.includes('undefined') ? `lacks a parameter of ${code}: "${fromWireError({ code, params }).message}"` : undefined
}

/** What an error says; an unknown one without the frame that people get to see. */
export function describeFailure(error: unknown): string {
  const { code, params } = toWireError(error)
  return code === 'INTERNAL' ? String(params.detail) : (error as Error).message.trim()
}
