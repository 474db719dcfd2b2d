import type { HttpRequest, ReasoningEffort, ResponseFormat, ToolSpec, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { GivenChoice, GivenFormat, GivenTool } from './wire.ts'

/** What a request says about tools and the form of its answer. */
export interface Given {
  readonly tools?: readonly GivenTool[] | null | undefined
  readonly tool_choice?: GivenChoice | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly store?: boolean | null | undefined
  readonly reasoning_effort?: string | null | undefined
}

/** The client's tools, as a turn takes them. */
export interface ClientTools {
  readonly turn: Pick<TurnRequest, 'clientTools' | 'toolChoice' | 'agentTools' | 'parallelCalls' | 'store'>
  /** Names of those that take text instead of an object; the model sees an object with `input`. */
  readonly custom: ReadonlySet<string>
}

type Runnable = GivenTool & { readonly type: 'function' | 'custom' }

const textArgument = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
} as const

/** Each tool is told to the model with every request, and takes its time here too. */
const mostTools = 2_000

/** Reads `tools` and `tool_choice`. Tools that a vendor would run itself are passed over: the agent has its own. */
export function parseClientTools(
  request: HttpRequest,
  { tools, tool_choice: choice, parallel_tool_calls: parallel, store }: Given,
): ClientTools {
  require((tools ?? []).length <= mostTools, 'tools', `must be at most ${mostTools}`)
  const specs = new Map<string, ToolSpec>()
  const custom = new Set<string>()
  for (const [index, tool] of (tools ?? []).entries()) {
    if (!isRunnable(tool)) continue
    const spec = parseTool(tool, index)
    require(!specs.has(spec.name), 'tools', `two of them are called ${spec.name.slice(0, 64)}`)
    specs.set(spec.name, spec)
    if (tool.type === 'custom') custom.add(spec.name)
  }
  const { offered, toolChoice } = choose(specs, choice ?? 'auto')
  return {
    custom,
    turn: {
      ...(offered.length > 0 ? { clientTools: offered } : {}),
      ...(toolChoice === 'auto' ? {} : { toolChoice }),
      ...(parseSwitch(request) ? {} : { agentTools: false }),
      ...(parallel === false ? { parallelCalls: parallel } : {}),
      ...(store === false ? { store } : {}),
    },
  }
}

const isRunnable = (tool: GivenTool): tool is Runnable => tool.type === 'function' || tool.type === 'custom'

/** What a vendor would refuse is refused here, where its place in the client's own list is known. */
function parseTool(tool: Runnable, index: number): ToolSpec {
  const inner = tool[tool.type]
  const place = inner ? `tools.${index}.${tool.type}` : `tools.${index}`
  const { name, description, parameters } = inner ?? tool
  if (!name || !/^[\w-]{1,128}$/.test(name)) {
    throw fail('HTTP_INVALID', { param: `${place}.name`, problem: 'must be 1 to 128 letters, digits, - or _' })
  }
  const shape = tool.type === 'custom' ? textArgument : { type: 'object', ...parameters }
  require(shape.type === 'object', `${place}.parameters`, 'must be a JSON Schema of the type object')
  return { name, description: description ?? '', parameters: shape as ToolSpec['parameters'] }
}

interface Chosen {
  readonly offered: readonly ToolSpec[]
  readonly toolChoice: NonNullable<TurnRequest['toolChoice']>
}

function choose(specs: ReadonlyMap<string, ToolSpec>, choice: GivenChoice): Chosen {
  const all = [...specs.values()]
  if (typeof choice === 'string') {
    if (choice === 'required') require(all.length > 0, 'tool_choice', 'needs tools to choose from')
    return { offered: all, toolChoice: choice }
  }
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = choice.allowed_tools ?? choice
    const names = new Set((tools ?? []).map(nameOf))
    const offered = all.filter(({ name }) => names.has(name))
    require(offered.length > 0, 'tool_choice', 'allows none of the tools')
    return { offered, toolChoice: mode ?? 'auto' }
  }
  const name = nameOf(choice)
  // A tool that a vendor runs itself cannot be demanded here.
  require(name !== undefined &&
    specs.has(name), 'tool_choice', `names no function of tools${name === undefined ? '' : `: ${name.slice(0, 64)}`}`)
  return { offered: all, toolChoice: { name: name ?? '' } }
}

function nameOf({ name, function: called, custom }: Exclude<GivenChoice, string>): string | undefined {
  return called?.name ?? custom?.name ?? name ?? undefined
}

function require(good: boolean, param: string, problem: string): void {
  if (!good) throw fail('HTTP_INVALID', { param, problem })
}

/** `x-agent-tools: off` leaves only the client's tools. */
function parseSwitch({ headers }: HttpRequest): boolean {
  const value = headers['x-agent-tools']?.trim().toLowerCase() ?? 'on'
  require(value === 'on' || value === 'off', 'X-Agent-Tools', 'must be on or off')
  return value === 'on'
}

/** The form that the answer must have; `param` names the field for the error. */
export function parseFormat(format: GivenFormat | null | undefined, param: string): Pick<TurnRequest, 'responseFormat'> {
  if (!format || format.type === 'text') return {}
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } }
  const { name, schema } = format.json_schema ?? format
  require(schema !== undefined && schema !== null, `${param}.schema`, 'must be of type object')
  return { responseFormat: { type: 'json-schema', name: name ?? 'answer', schema } as ResponseFormat }
}

/** Efforts under the names that the agent has. */
export function parseEffort(effort: string | null | undefined): Pick<TurnRequest, 'reasoning'> {
  const others: Readonly<Record<string, ReasoningEffort>> = { minimal: 'low', max: 'xhigh' }
  return effort ? { reasoning: others[effort] ?? (effort as ReasoningEffort) } : {}
}

/** What a tool that takes text is called with. */
export function textArgumentOf(args: string): string {
  try {
    const value = JSON.parse(args) as unknown
    if (typeof value === 'object' && value !== null && 'input' in value && typeof value.input === 'string') return value.input
  } catch {
    // A model that wrote the text itself meant it so.
  }
  return args
}
