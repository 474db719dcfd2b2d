import type { Context } from '@agent/plugin-sdk'
import type { RunningCall } from './running.ts'

/** What a server asks a model. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly systemPrompt?: string | undefined
  readonly maxTokens: number
  readonly tools?: unknown
}

type SampleAnswer = { role: 'assistant'; content: { type: 'text'; text: string }; model: string; stopReason: 'endTurn' }

/** For one call of a tool. */
const mostSamples = 5
const mostTokens = 4000
const longestText = 50_000

/** Asks the model for `mcp` what a server wants to know, within limits; what it costs is counted like each question to a model. */
export async function answerSample(
  request: SampleRequest,
  running: RunningCall | undefined,
  models: Context['models'],
): Promise<SampleAnswer> {
  if (!running) throw new Error('A model is asked only for one call that goes on.')
  if (running.samples >= mostSamples) throw new Error(`A model is asked at most ${mostSamples} times for one call.`)
  if (request.tools !== undefined) throw new Error('A model is asked without tools.')
  running.samples += 1
  const text = request.messages.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n\n')
  if (text.length > longestText) throw new Error(`A model is asked at most ${longestText} characters.`)
  const system = `You answer a question of the MCP server ${running.server}. ${request.systemPrompt?.slice(0, longestText) ?? ''}`.trim()
  const maxOutputTokens = Math.max(1, Math.min(Math.floor(request.maxTokens), mostTokens))
  const answer = await models.ask({ task: 'mcp', system, text, maxOutputTokens }, running.call)
  return { role: 'assistant', content: { type: 'text', text: answer }, model: 'agent', stopReason: 'endTurn' }
}

function textOf(content: unknown): string {
  const parts = (Array.isArray(content) ? content : [content]) as readonly { readonly type?: unknown; readonly text?: unknown }[]
  return parts
    .map(({ type, text }) => {
      if (type !== 'text' || typeof text !== 'string') throw new Error('A model is asked in text alone.')
      return text
    })
    .join('\n')
}
