import type { ToolManifest, ToolSpec } from '@agent/plugin-sdk'

/** Finds tools that are not listed. */
export const searchName = 'tool_search'
/** Calls one of them. */
export const callName = 'tool_call'

export const isOfPair = (name: string): boolean => name === searchName || name === callName

/** Every request that has the pair sends these 300 bytes, and the same ones however many tools there are: nothing here counts or names a tool. */
export const pair: readonly [search: ToolSpec, call: ToolSpec] = [
  {
    name: searchName,
    description: 'Finds more tools by words.',
    parameters: { type: 'object', properties: { query: { type: 'string' } } },
  },
  {
    name: callName,
    description: 'Calls a tool so found.',
    parameters: { type: 'object', properties: { name: { type: 'string' }, arguments: { type: 'object' } } },
  },
]

/** The search as a tool like others: hooks are asked about it too. */
export const searchTool: ToolManifest = {
  name: searchName,
  description: pair[0].description,
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  ...{ effect: 'none', replaySafe: true, parallel: true, guards: [], timeoutMs: 60_000 },
}

/** What a call through the pair must have; its `arguments` are checked as those of the tool that it names. */
export const callSchema: ToolManifest['parameters'] = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
}
