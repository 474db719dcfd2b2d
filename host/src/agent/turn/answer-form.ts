import type { ModelMessage, ResponseFormat } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { CheckForeign } from '#kernel/schema/check-foreign.ts'
import { findSchemaExcess } from '#kernel/schema/schema-excess.ts'
import type { ModelAnswer, Turn } from './turn.ts'

/** Refuses a format that no answer could be checked against. */
export async function guardFormat(format: ResponseFormat, checkForeign: CheckForeign): Promise<void> {
  if (format.type !== 'json-schema') return
  const excess = findSchemaExcess(format.schema)
  if (excess !== undefined) throw fail('RESPONSE_FORMAT', { problem: excess })
  const checked = await checkForeign(format.schema, null)
  if (!checked.ok && isUncheckable(checked)) throw fail('RESPONSE_FORMAT', { problem: `it ${checked.problem}` })
}

const isUncheckable = ({ problem }: { readonly problem: string }): boolean => problem.startsWith('cannot be checked')

/** What the model is told of the form that its answer shall have. */
export function describeFormat(format: ResponseFormat): string {
  const demand = 'Your answer is read by a program. Answer with one JSON value and nothing else: no words around it and no Markdown.'
  const schema = format.type === 'json' ? '' : `\nIt must fit this JSON Schema ("${format.name}"):\n${JSON.stringify(format.schema)}`
  return demand + schema
}

/** An answer without calls, as it may leave, or what is wrong with it. */
export type Formed = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

export async function checkForm(
  { request, tools, checkForeign }: Pick<Turn, 'request' | 'tools' | 'checkForeign'>,
  { text, stop }: ModelAnswer,
): Promise<Formed> {
  if (tools.forced) return { ok: false, problem: `no call of ${[...tools.theirs].join(' or ')} was made` }
  const format = request.responseFormat
  // What was cut is said to be cut, and not to be wrong.
  if (!format || stop === 'length' || stop === 'content-filter') return { ok: true, text }
  const json = withoutFence(text)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return { ok: false, problem: `it is not valid JSON (${detailOf(error)})` }
  }
  if (format.type === 'json') return { ok: true, text: json }
  const checked = await checkForeign(format.schema, value)
  if (checked.ok) return { ok: true, text: json }
  if (isUncheckable(checked)) throw fail('RESPONSE_FORMAT', { problem: `it ${checked.problem}` })
  return { ok: false, problem: `${checked.path || 'the value'} ${checked.problem}` }
}

/** Models like to put JSON into a block of Markdown. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$/s.exec(text)?.[1]?.trim() ?? text.trim()
}

/** Asks once more; neither the faulty answer nor the question stays in the session. */
export function correction({ parts }: ModelAnswer, problem: string): readonly ModelMessage[] {
  const text = `[This is not what the request demands: ${problem}. Answer again, with nothing but what it demands.]`
  return [
    { role: 'assistant', parts },
    { role: 'user', parts: [{ type: 'text', text }] },
  ]
}
