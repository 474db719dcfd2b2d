import type { OpenToolset, ToolManifest } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { scanText } from '#kernel/scan-text.ts'
import { findSchemaExcess } from '#kernel/schema/schema-excess.ts'

/** What a toolset gives whose tools are known only when it runs. */
export type DynamicTools = NonNullable<OpenToolset['dynamic']>
export type DynamicList = Awaited<ReturnType<DynamicTools['list']>>

/** A name that every provider of models takes. */
const name = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/
/** What may stand in a rule of `command_allowlist`, so that it is no rule about something else. */
const rule = /^[\w.%~/-]{1,200}$/
const effects: readonly unknown[] = ['none', 'read', 'write', 'external'] satisfies readonly ToolManifest['effect'][]
const longestDescription = 2000
const mostTools = 2000
const defaultMs = 300_000

export interface ReadDynamic {
  readonly tools: readonly ToolManifest[]
  /** What was left out, a sentence each. */
  readonly refused: readonly string[]
}

/** Takes what a toolset says of its tools while it runs: nobody has looked at that before, so nothing of it is believed. */
export function readDynamic({ tools }: DynamicList, prefix: string): ReadDynamic {
  const read = new Map<string, ToolManifest>()
  const refused: string[] = []
  for (const given of tools.slice(0, mostTools)) {
    const found = readTool(given, prefix)
    if (typeof found === 'string') refused.push(`${String(given?.name).slice(0, 64)} is left out: ${found}.`)
    else if (read.has(found.name)) refused.push(`${found.name} is left out: another tool has this name.`)
    else read.set(found.name, found)
  }
  if (tools.length > mostTools) refused.push(`${tools.length - mostTools} tools are left out: more than ${mostTools} are not taken.`)
  return { tools: [...read.values()], refused }
}

function readTool(given: DynamicList['tools'][number], prefix: string): ToolManifest | string {
  if (typeof given?.name !== 'string' || !name.test(given.name) || !given.name.startsWith(prefix))
    return `a name begins with ${prefix} and has at most 64 letters, digits and _`
  if (typeof given.description !== 'string' || !effects.includes(given.effect)) return 'it has no description or no effect'
  const excess = findSchemaExcess(given.parameters)
  if (excess !== undefined) return `its schema is not read: ${excess}`
  if (given.rule !== undefined && !(typeof given.rule === 'string' && rule.test(given.rule))) return 'its rule is not read'
  const schema = readSchema(given.parameters)
  if (typeof schema === 'string') return schema
  const { text, injection } = scanText(given.description.slice(0, longestDescription))
  if (injection) return `its description wants to take over the agent ("${injection.words}")`
  return {
    name: given.name,
    description: text,
    parameters: schema,
    effect: given.effect,
    replaySafe: given.replaySafe === true,
    parallel: given.parallel === true,
    guards: [],
    timeoutMs: Number.isInteger(given.timeoutMs) && Number(given.timeoutMs) > 0 ? Number(given.timeoutMs) : defaultMs,
    ...readQuestion(given),
    ...(given.rule === undefined ? {} : { rule: given.rule }),
  }
}

function readQuestion({ asks, onlyPeople }: DynamicList['tools'][number]): Pick<ToolManifest, 'asks' | 'onlyPeople'> {
  if (typeof asks !== 'string' || asks === '') return {}
  return { asks: scanText(asks).text.slice(0, 500), ...(onlyPeople === true ? { onlyPeople } : {}) }
}

function readSchema(given: unknown): ToolManifest['parameters'] | string {
  if (typeof given !== 'object' || given === null || (given as { readonly type?: unknown }).type !== 'object')
    return 'its arguments are no object with names'
  try {
    // Descriptions of arguments are read by models as well.
    const { text, injection } = scanText(JSON.stringify(given))
    if (injection) return `its schema wants to take over the agent ("${injection.words}")`
    return JSON.parse(text) as ToolManifest['parameters']
  } catch (error) {
    return `its schema is not read (${detailOf(error)})`
  }
}
