import type { OpenToolset, Wire } from '@agent/plugin-sdk'
import type { Tool } from '@modelcontextprotocol/client'
import { isWanted } from './choose-tools.ts'
import type { ServerSettings } from './config.ts'
import { ruleOf } from './tool-name.ts'

export type DynamicTools = NonNullable<OpenToolset['dynamic']>
export type DynamicList = Awaited<ReturnType<DynamicTools['list']>>
type Declared = DynamicList['tools'][number]

/** What is asked of a server: one of its tools, or one of the four ways to its resources and prompts. */
export type Action = 'call' | 'list_resources' | 'read_resource' | 'list_prompts' | 'get_prompt'

/** A tool of a server as it is kept: plain data. */
export interface KnownTool {
  readonly action: Action
  /** The server's name for it. */
  readonly tool: string
  readonly description: string
  readonly parameters: Wire
  readonly readOnly: boolean
  readonly repeatable: boolean
}

const longestDescription = 1500
const nothing = { type: 'object', properties: {}, additionalProperties: false }
const text = { type: 'string', minLength: 1, maxLength: 4000 }

/** The tools that a server has and the settings want. */
export function readTools(tools: readonly Tool[], { tools: wanted }: ServerSettings): readonly KnownTool[] {
  return tools
    .filter(({ name }) => isWanted(name, wanted))
    .map(({ name, title, description, inputSchema, annotations }) => ({
      action: 'call',
      tool: name,
      description: (description ?? title ?? annotations?.title ?? name).slice(0, longestDescription),
      parameters: inputSchema as Wire,
      readOnly: annotations?.readOnlyHint === true,
      repeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
    }))
}

/** Ways to resources and prompts, where the server has such and the settings want them. */
export function moreTools(
  has: { readonly resources: boolean; readonly prompts: boolean },
  { tools }: ServerSettings,
): readonly KnownTool[] {
  const read = { readOnly: true, repeatable: true }
  const resources: readonly KnownTool[] = [
    { action: 'list_resources', tool: 'list_resources', description: 'Lists the resources of the server.', parameters: nothing, ...read },
    {
      ...{ action: 'read_resource', tool: 'read_resource', description: 'Reads a resource of the server by its address.', ...read },
      parameters: { type: 'object', properties: { uri: text }, required: ['uri'], additionalProperties: false },
    },
  ]
  const prompts: readonly KnownTool[] = [
    { action: 'list_prompts', tool: 'list_prompts', description: 'Lists the prompts of the server.', parameters: nothing, ...read },
    {
      ...{ action: 'get_prompt', tool: 'get_prompt', description: 'Gets a prompt of the server by its name.', ...read },
      parameters: {
        type: 'object',
        properties: { name: text, arguments: { type: 'object', additionalProperties: { type: 'string' } } },
        required: ['name'],
        additionalProperties: false,
      },
    },
  ]
  return [...(has.resources && tools.resources ? resources : []), ...(has.prompts && tools.prompts ? prompts : [])]
}

/** The tool as the host is told of it. */
export function declare(name: string, server: string, known: KnownTool, settings: ServerSettings): Declared {
  const { readOnly, description, parameters } = known
  // A hint is what the server itself says: it counts where a person has agreed to that.
  const asked = settings.trust === 'hints' ? !readOnly : settings.trust !== 'full'
  return {
    name,
    description: `${description} (MCP server ${server})`,
    parameters: parameters as Declared['parameters'],
    effect: readOnly && settings.trust === 'full' ? 'read' : 'external',
    replaySafe: known.action !== 'call',
    parallel: settings.supports_parallel_tool_calls || known.action !== 'call',
    timeoutMs: Math.ceil(settings.timeout * 1000),
    ...(asked
      ? {
          asks: `it is a tool of the MCP server ${server}, which may do anything`,
          rule: ruleOf({ server: settings.project?.rule ?? server, known }),
        }
      : {}),
  }
}

/** What lets a server of a project in. */
export const useOf = { action: 'use', tool: 'use' }

/** A call of it is the wish to use the server, and the question about it says all that a person has to know. */
export function declareUse(name: string, server: string, { project, connect_timeout: seconds }: ServerSettings): Declared {
  return {
    name,
    description: `Lets the tools of the MCP server ${server}, which the project names, be found and called. A person is asked first.`,
    parameters: nothing,
    effect: 'external',
    timeoutMs: Math.ceil(seconds * 1000) + 30_000,
    ...(project ? { asks: project.question, rule: project.rule, onlyPeople: true } : {}),
  }
}
