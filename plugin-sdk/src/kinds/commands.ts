import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind, type Problem } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of an entry file of commands. */
export interface Commands<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenCommands>
}

/** Commands that are open. */
export interface OpenCommands {
  /** Runs each declared command that has no prompt. Rejects with a coded error. */
  run(request: CommandRequest, call: Call): Promise<CommandAnswer>
}

/** A command that somebody gave. */
export interface CommandRequest {
  /** As it is declared, also where an alias was written. */
  readonly name: string
  /** What was written behind the name, without the spaces around it. */
  readonly args: string
  /** `cli`: at the terminal. `gateway`: in a conversation on a platform. */
  readonly surface: 'cli' | 'gateway'
  /** The session that is going on; absent before its first message. */
  readonly session?: string
}

/** What a command says. */
export interface CommandAnswer {
  /** Markdown, as the agent writes it; nothing is said where it is empty. */
  readonly text: string
}

/** Such names can be written on every platform. */
const commandName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/)

const command = z.strictObject({
  /** What is written behind the slash. */
  name: commandName,
  aliases: z.array(commandName).default([]),
  /** How its arguments are written, such as `[city]`; empty when it takes none. */
  args: z.string().max(100).default(''),
  /** What it does, in a few words: shown in lists and menus. */
  summary: z.string().min(1).max(100),
  /** Where it can be given: at the terminal, on platforms. */
  surfaces: z
    .array(z.enum(['cli', 'gateway']))
    .min(1)
    .default(['cli', 'gateway']),
  /** Said to the agent as the message of the person who gave the command; `{args}` stands for the arguments. Absent: the entry runs it. */
  prompt: z.string().min(1).optional(),
})

const commands = z.strictObject({
  id: name,
  /** Runs the commands without a prompt. */
  entry: entry.optional(),
  label: z.string(),
  commands: z.array(command).min(1),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** A set of commands, as the manifest has it. */
export type CommandsManifest = z.output<typeof commands>

export const commandsKind = defineKind({
  spec: commands,
  problems: commandProblems,
  parts: { called: 'commands', of: ({ commands }) => commands.flatMap(({ name, aliases }) => [name, ...aliases]) },
})

function commandProblems({ entry, commands }: CommandsManifest, path: string): readonly Problem[] {
  const code = commands.filter(({ prompt }) => prompt === undefined)
  const idle = { path: `${path}.entry`, problem: 'has nothing to run: every command has a prompt' }
  return [
    ...(entry !== undefined && code.length === 0 ? [idle] : []),
    ...(entry === undefined ? code : []).map(({ name }) => ({
      path: `${path}.${name}`,
      problem: 'needs a prompt, or the set an entry that runs it',
    })),
    ...commands
      .filter(({ args, prompt }) => prompt !== undefined && prompt.includes('{args}') !== (args !== ''))
      .map(({ name }) => ({ path: `${path}.${name}`, problem: 'needs both or neither: args, and {args} in its prompt' })),
  ]
}
