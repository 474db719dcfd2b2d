import type { AssistantPart, InputPart, ModelMessage, ModelRequest, ToolChoice } from '@agent/plugin-sdk'
import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'
import type { PackageEntry } from './config.ts'
import { type Metadata, opaque } from './wire.ts'

type Options = Pick<PackageEntry, 'request' | 'system'> & {
  /** Under which blocks of this source are kept. */
  readonly provider: string
  /** The name under which the package reads its options. */
  readonly vendor: string
}

/** What `doStream` is given, but for the signal. */
export function buildCall(request: ModelRequest, { request: always = {}, system, provider, vendor }: Options): object {
  const { reasoning, toolChoice, maxOutputTokens, temperature } = request
  const effort = reasoning === undefined || reasoning === 'none' ? {} : { [vendor]: { reasoningEffort: reasoning, ...always[vendor] } }
  return {
    prompt: [
      { role: 'system', content: request.system, ...(system && { providerOptions: system }) },
      ...(request.ephemeral === undefined ? [] : [{ role: 'system', content: request.ephemeral }]),
      ...request.messages.map((message) => buildMessage(message, provider)),
    ],
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(request.tools.length > 0 && { tools: request.tools.map(buildTool), toolChoice: buildChoice(toolChoice ?? 'auto') }),
    providerOptions: { ...always, ...effort },
  }
}

const buildTool = ({ name, description, parameters }: ModelRequest['tools'][number]): object => ({
  ...{ type: 'function', name, description, inputSchema: parameters },
})

const buildChoice = (choice: ToolChoice): object =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name }

function buildMessage(message: ModelMessage, provider: string): object {
  if (message.role === 'user') return { role: 'user', content: message.parts.map(buildInput) }
  if (message.role === 'assistant') return { role: 'assistant', content: buildAnswer(message.parts, provider) }
  const content = message.results.map(({ id, name, ok, text }) => ({
    ...{ type: 'tool-result', toolCallId: id, toolName: name, output: { type: ok ? 'text' : 'error-text', value: text } },
  }))
  return { role: 'tool', content }
}

function buildInput(part: InputPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const inline = /^data:([^;,]+)(?:;[^,]*)?,/.exec(part.url)
  return inline
    ? { type: 'file', mediaType: inline[1], data: part.url.slice(inline[0].length) }
    : { type: 'file', mediaType: 'image/*', data: new URL(part.url) }
}

/** Blocks of this source go back where they stood; what came with a text or a call goes back with it. */
function buildAnswer(parts: readonly AssistantPart[], provider: string): readonly object[] {
  const blocks = parts.map((part) => {
    const read = part.type === 'opaque' && part.provider === provider ? z.safeParse(opaque, part.data) : undefined
    return read?.success ? read.data : undefined
  })
  const ofCalls = new Map(blocks.flatMap((block) => (block?.type === 'call' ? [[block.id, block.options] as const] : [])))
  return parts.flatMap((part, index): object[] => {
    const block = blocks[index]
    if (block?.type === 'reasoning') return [{ type: 'reasoning', text: block.text, ...withOptions(block.options) }]
    const beside = blocks[index + 1]
    if (part.type === 'text')
      return [{ type: 'text', text: part.text, ...withOptions(beside?.type === 'text' ? beside.options : undefined) }]
    if (part.type !== 'call') return []
    const input = argumentsOf(part.args)
    return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input, ...withOptions(ofCalls.get(part.id)) }]
  })
}

const withOptions = (options: Metadata): object => (options === undefined ? {} : { providerOptions: options })

/** Arguments that the model broke off are shown to it as it wrote them. */
function argumentsOf(text: string): object {
  if (text.trim() === '') return {}
  const read = parseJson(text)
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : { broken_arguments: text }
}
