import type { Wire } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { callName, callSchema } from '../search/pair.ts'
import type { ToolRequest, ToolTurn } from '../tool-turn.ts'
import { parseArguments } from './parse-arguments.ts'

/** Which tool a call is for, with the arguments of that tool. */
export type MeantCall =
  | { readonly ok: true; readonly meant: ToolRequest }
  | { readonly ok: false; readonly error: AgentError; readonly args: Wire }

/** A call through the pair becomes the call that it asks for, before anything is decided about it. */
export async function readToolCall(request: ToolRequest, { tools }: Pick<ToolTurn, 'tools'>): Promise<MeantCall> {
  if (request.name !== callName || !tools.has(callName)) return { ok: true, meant: request }
  const parsed = await parseArguments({ parameters: callSchema }, request.args)
  const refuse = (problem: string): MeantCall => ({
    ...{ ok: false, args: parsed.args, error: fail('TOOL_ARGUMENTS', { tool: callName, problem }) },
  })
  if (!parsed.ok) return refuse(parsed.problem)
  const { name, arguments: given } = parsed.args as { readonly name: string; readonly arguments?: Wire }
  // Some models write an object inside of another one as its text.
  if (typeof given === 'string') return { ok: true, meant: { ...request, name, args: given } }
  return { ok: true, meant: { ...request, name, args: given === undefined ? '' : JSON.stringify(given) } }
}
