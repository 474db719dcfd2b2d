import { findJsonExcess, type ToolManifest, type Wire } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { checkSchema } from '#kernel/schema/json-schema.ts'

type Parsed = { readonly ok: true; readonly args: Wire } | { readonly ok: false; readonly args: Wire; readonly problem: string }

type Check = typeof checkSchema

/** The model's JSON text, checked against the tool's schema. No text at all counts as no arguments. */
export async function parseArguments(
  { parameters }: Pick<ToolManifest, 'parameters'>,
  text: string,
  check: Check = checkSchema,
): Promise<Parsed> {
  let value: Wire
  const excess = findJsonExcess(text)
  if (excess !== undefined) return { ok: false, args: text.slice(0, 200), problem: `of their JSON: ${excess}` }
  try {
    value = text.trim() === '' ? {} : (JSON.parse(text) as Wire)
  } catch (error) {
    return { ok: false, args: text, problem: `they are not valid JSON (${detailOf(error)})` }
  }
  const checked = await check(parameters, value)
  if (checked.ok) return { ok: true, args: checked.value as Wire }
  return { ok: false, args: value, problem: checked.path === '' ? checked.problem : `${checked.path} ${checked.problem}` }
}
