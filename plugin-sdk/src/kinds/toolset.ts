import * as z from 'zod'
import type { ToolContext } from '../contract/context.ts'
import type { ToolJobs } from '../contract/jobs/jobs.ts'
import type { MemoryBlock, MemoryChange, MemoryHit, PastMessage } from '../contract/memory.ts'
import { toolEffects } from '../contract/model.ts'
import type { SkillChange } from '../contract/skill.ts'
import type { TurnEvent } from '../contract/turn.ts'
import type { Blob, Call, Wire, WireError } from '../contract/wire.ts'
import { type Convert, defineKind, type Problem } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** One call of a tool. The host has validated `args` against the manifest and asked for approval where the manifest's guards demand it. */
export interface ToolCall<A = unknown> {
  readonly id: string
  readonly args: A
  readonly session: string
  readonly turn: string
  /** Absolute path of the folder that the agent works in. */
  readonly workspace: string
  /** Where a command of this call starts; for tools with a guard `command`. What was judged is what runs, so nothing else may be used. */
  readonly folder?: string
  /** Variables for the command of this call and for nothing else: the secrets of a skill whose script it starts. Only with the host permission `sandbox`. */
  readonly secrets?: Readonly<Record<string, string>>
  /** A note for the person who watches; nothing waits for it. */
  progress(text: string): void
  /** Asks the person; rejects with NOBODY_TO_ASK where no one can answer. Needs the host permission `clarify`. */
  ask(question: { readonly question: string; readonly choices: readonly string[] }): Promise<string>
  /** The memory of those whom this call serves. Only where the manifest asks for the host permission `memory`. */
  readonly memory?: {
    /** What became of it: the block as it is now, or the name under which the change waits until a person approves it. */
    change(change: MemoryChange): Promise<{ readonly block: MemoryBlock } | { readonly waits: string }>
    recall(query: string): Promise<readonly MemoryHit[]>
  }
  /** Earlier conversations of those whom this call serves. Only where the manifest asks for the host permission `sessions`. */
  readonly sessions?: {
    /** Messages that fit, best match first; without a query the first message of each session, newest session first. */
    find(wish: { readonly query?: string; readonly most: number }): Promise<readonly PastMessage[]>
    /** Messages of a session in their order, from a number on. Rejects with SESSION_NOT_FOUND for one of others. */
    read(wish: { readonly session: string; readonly from: number; readonly most: number }): Promise<readonly PastMessage[]>
  }
  /** The skills of the home. Only where the manifest asks for the host permission `skills.write`. */
  readonly skills?: {
    /** Answers when it is made, or with the name under which it waits until a person approves it. Rejects with SKILL_UNCHANGED or SKILL_NOT_FOUND. */
    change(change: SkillChange): Promise<{ readonly waits?: string }>
  }
  /** Child agents that work for this call. Only where the manifest asks for the host permission `agents.run`. */
  readonly agents?: {
    /** One end for each task, in their order; a child that fails is an end too. Rejects with DELEGATION_REFUSED where the settings allow no such children. */
    run(tasks: readonly AgentTask[]): Promise<readonly AgentEnd[]>
    /** Lets them work on behind the turn; what comes of each is told in its conversation later. Rejects like `run`, and where nobody would be told. */
    start(tasks: readonly AgentTask[]): Promise<readonly { readonly number: number; readonly session: string }[]>
  }
  /** Only where the manifest asks for the host permission `jobs`. */
  readonly jobs?: ToolJobs
  /** Other tools of the same turn. Only where the manifest asks for the host permission `tools.call`. */
  readonly tools?: {
    /**
     * What the call came to, as the model would be told; a refusal is an answer too. It is judged, shown and stopped like a call of the model, and
     * calls run one after another. Refused for a tool whose own plugin calls others.
     */
    call(name: string, args: Wire): Promise<{ readonly ok: boolean; readonly text: string; readonly data?: Wire }>
  }
}

/** A task for a child agent. */
interface AgentTask {
  readonly goal: string
  /** What it has to know: it hears nothing of the conversation. */
  readonly context?: string
  /** Toolsets that it has of those of its parent; absent: all of them. */
  readonly toolsets?: readonly string[]
  /** It may hand on tasks itself, where the settings allow that depth. */
  readonly mayDelegate?: boolean
  /** Fewer steps than the settings allow. */
  readonly maxSteps?: number
}

/** How a child agent ended. */
interface AgentEnd {
  /** The stored session of the child. */
  readonly session: string
  readonly status: Extract<TurnEvent, { readonly type: 'subagent.complete' }>['status']
  readonly exitReason: 'completed' | 'interrupted' | 'max_iterations'
  /** Its answer; what there is of it where it did not complete. */
  readonly text: string
  /** Why it did not complete. */
  readonly error?: WireError
  readonly model: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly apiCalls: number
  readonly durationMs: number
  /** Each call of a tool with the bytes of its arguments and of its result. */
  readonly toolTrace: readonly {
    readonly tool: string
    readonly argsBytes: number
    readonly resultBytes: number
    readonly status: 'ok' | 'error'
  }[]
}

/** A tool does not throw for an ordinary failure: that is a result, with a sentence for the model. */
export type ToolResult =
  | {
      readonly ok: true
      readonly text: string
      readonly media?: readonly Blob[]
      readonly data?: Wire
      /** Where the session's next command starts; for tools with a guard `folder`. */
      readonly folder?: string
    }
  | { readonly ok: false; readonly error: WireError; readonly text?: string }

/** A tool: a failure is a result that says so; what rejects is told to the model as an error of the tool. */
export type ToolRun<A = unknown> = (toolCall: ToolCall<A>, call: Call) => Promise<ToolResult>

/** Default export of a toolset's entry file. */
export interface Toolset<C = unknown> {
  open(context: ToolContext<C>, call: Call): Promise<OpenToolset>
}

/** A toolset that is open. */
export interface OpenToolset {
  /** Exactly the tools that the manifest declares. */
  readonly tools: { readonly [name: string]: ToolRun<never> }
  /** Where the manifest has `dynamicTools`, and only there. */
  readonly dynamic?: DynamicTools
  /** Where the manifest has `setUp`, and only there: does that, as often as it is asked, and answers with what came of it, a sentence on each line. */
  setUp?(call: Call): Promise<string>
}

/** Tools that are known only while the toolset runs. The model finds them by `tool_search`. */
interface DynamicTools {
  /**
   * What there is now. It waits for no source longer than a person would: what comes later is in a later answer. `fresh` asks every source again
   * and waits for it; `only` names one source.
   */
  list(wish: { readonly fresh?: boolean; readonly only?: string }, call: Call): Promise<DynamicList>
  run(name: string, toolCall: ToolCall, call: Call): Promise<ToolResult>
}

interface DynamicList {
  /** Another text as soon as the tools are others. */
  readonly revision: string
  /** As a manifest declares tools, with names that begin with the prefix. */
  readonly tools: readonly z.input<typeof tool>[]
  /** Where tools come from, and what became of each: a sentence for the person and for the model. */
  readonly sources: readonly { readonly name: string; readonly state: 'ready' | 'starting' | 'failed'; readonly text: string }[]
}

/** What the host checks about an argument before the tool runs. */
const guard = z.strictObject({
  argument: z.string(),
  /**
   * `folder`: where the command of this call starts. `outside`: true asks a person, always; `reason` is what the question says. `script`: a program as text,
   * judged like a command that runs it, in the language that the argument `language` names (`python`, `javascript`); it runs in the sandbox of commands.
   * `fresh`: for a tool that keeps what scripts leave. A script is judged together with those that ran before in its session; true begins without them.
   */
  as: z.enum(['command', 'folder', 'read-path', 'write-path', 'outside', 'reason', 'script', 'language', 'fresh']),
})

const tool = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  description: z.string(),
  /** JSON Schema of the arguments: an object, closed. */
  parameters: jsonSchema,
  effect: z.enum(toolEffects),
  /** Offered to the model only where a web backend can do this. */
  needsWeb: z.enum(['search', 'extract', 'crawl']).optional(),
  /** Offered to the model only where an image backend is ready, or a model that may see. */
  needsImages: z.enum(['generate', 'describe']).optional(),
  /** Offered to the model only where a memory provider can do this. */
  needsMemory: z.enum(['change', 'recall']).optional(),
  /** May be run again after a crash that lost its result. */
  replaySafe: z.boolean().default(false),
  /** May run beside other calls of the same step. */
  parallel: z.boolean().default(false),
  guards: z.array(guard).default([]),
  /** Why a person is asked before each call, a part of a sentence; an answer for always is kept under the name of the tool, and `rule` beside it. */
  asks: z.string().min(1).max(500).optional(),
  /** With `asks`: no setting and no model answers in the place of a person, and a no holds for the rest of the session. */
  onlyPeople: z.boolean().optional(),
  /** Which tool an answer for always is about, beside its name, where another tool may come to that name later. */
  rule: z
    .string()
    .regex(/^[\w.%~/-]{1,200}$/)
    .optional(),
  /** Never listed, like all tools of a toolset that is `deferred`. */
  deferred: z.boolean().optional(),
  /** Longest run in milliseconds; the tool's own `timeout` argument may be shorter. */
  timeoutMs: z.int().min(1).default(300_000),
})

const toolset = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  tools: z.array(tool),
  /** It has tools beside these that it knows only when it runs. */
  dynamicTools: z
    .strictObject({
      /** Their names begin with it, and no other toolset gets such a name. */
      prefix: z.string().regex(/^[a-z][a-z0-9]{1,15}_$/),
      /** A block of config.yaml that names their sources, which becomes the setting of the same name; without an entry there is nothing to look for. */
      block: z.string().optional(),
    })
    .optional(),
  /** What can be done once after the installation, so that nobody waits for it later; a person reads this and starts it. */
  setUp: z.string().min(1).max(200).optional(),
  configSchema: jsonSchema.optional(),
  /** A block of config.yaml whose keys of the same name are settings of this toolset too. */
  configBlock: z.string().optional(),
  env: z.array(environmentName).default([]),
  onByDefault: z.boolean().default(true),
  /** Sets that it is part of: where a person names a set, all toolsets in it are meant. Only those that come with agent are heard. */
  sets: z.array(name).default([]),
  /** Its tools are never listed: the model finds them by `tool_search`. */
  deferred: z.boolean().default(false),
})

/** A toolset, as the manifest has it. */
export type ToolsetManifest = z.output<typeof toolset>
/** A tool, as the manifest has it. */
export type ToolManifest = z.output<typeof tool>
export type ToolManifestInput = z.input<typeof tool>

/** A tool as a definition writes it: its name is its key. */
export interface ToolDefinition extends Omit<ToolManifestInput, 'name' | 'parameters'> {
  readonly parameters: z.ZodObject
}

export const toolsetKind = defineKind({
  spec: toolset,
  problems: ({ tools, dynamicTools }, path) => [
    ...(tools.length === 0 && !dynamicTools ? [{ path: `${path}.tools`, problem: 'has no tools' }] : []),
    ...tools.flatMap((tool) => guardProblems(tool, `${path}.tools.${tool.name}`)),
  ],
  parts: { called: 'tools', of: ({ tools }) => tools.map((tool) => tool.name) },
  write: ({ tools }, path, convert) => ({ tools: listTools(tools as Readonly<Record<string, ToolDefinition>>, path, convert) }),
})

function listTools(tools: Readonly<Record<string, ToolDefinition>>, path: string, convert: Convert): readonly unknown[] {
  return Object.entries(tools).map(([name, { parameters, ...rest }]) => ({
    ...rest,
    name,
    parameters: convert(parameters, `${path}.tools.${name}.parameters`),
  }))
}

function guardProblems(tool: ToolManifest, path: string): readonly Problem[] {
  const known = (tool.parameters.properties ?? {}) as Record<string, unknown>
  const unknown = tool.guards
    .filter((guard) => !Object.hasOwn(known, guard.argument))
    .map((guard) => ({ path, problem: `guards ${guard.argument}, which is not an argument` }))
  const has = (...wanted: readonly string[]): boolean => tool.guards.some(({ as }) => wanted.includes(as))
  const needs = [
    ...(has('outside', 'folder') && !has('command') ? ['has a guard folder or outside, but none for the command that it is about'] : []),
    ...(has('fresh') && !has('script') ? ['has a guard fresh, but none for the script that it is about'] : []),
  ]
  return [...unknown, ...needs.map((problem) => ({ path, problem }))]
}
