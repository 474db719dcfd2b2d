import type { ModelEvent, StopReason, Usage } from '@agent/plugin-sdk'
import type { Metadata, Part, WireUsage } from './wire.ts'

type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>
type Handlers = { readonly [Type in Part['type']]: (part: PartOf<Type>) => readonly ModelEvent[] }

interface Thought {
  text: string
  metadata: Metadata
}

/** Turns the parts of one answer into our events. `explain` makes the last event of what went wrong. */
export function openReader(explain: (error?: unknown) => ModelEvent): (part: Part) => readonly ModelEvent[] {
  const thoughts = new Map<string, Thought>()
  const thoughtOf = (id: string, given: Metadata): Thought => {
    const known = thoughts.get(id) ?? { text: '', metadata: undefined }
    thoughts.set(id, known)
    known.metadata = given ?? known.metadata
    return known
  }
  let hasCalls = false
  const handlers: Handlers = {
    'text-delta': ({ delta }) => (delta === '' ? [] : [{ type: 'text', delta }]),
    'text-end': ({ providerMetadata: options }) => (options ? [{ type: 'opaque', data: { type: 'text', options } }] : []),
    'reasoning-start': ({ id, providerMetadata }) => {
      thoughtOf(id, providerMetadata)
      return []
    },
    'reasoning-delta': ({ id, delta, providerMetadata }) => {
      thoughtOf(id, providerMetadata).text += delta
      return delta === '' ? [] : [{ type: 'reasoning', delta }]
    },
    'reasoning-end': ({ id, providerMetadata }) => {
      const { text, metadata } = thoughtOf(id, providerMetadata)
      return [{ type: 'opaque', data: { type: 'reasoning', text, ...(metadata && { options: metadata }) } }]
    },
    'tool-call': ({ toolCallId: id, toolName: name, input: args, providerExecuted, providerMetadata: options }) => {
      // A tool of the service's own has run there already.
      if (providerExecuted) return []
      hasCalls = true
      const beside: readonly ModelEvent[] = options ? [{ type: 'opaque', data: { type: 'call', id, options } }] : []
      return [...beside, { type: 'call', id, name, args }]
    },
    finish: ({ finishReason, usage }) => {
      const reason = typeof finishReason === 'string' ? finishReason : finishReason.unified
      if (reason === 'error') return [explain()]
      return [{ type: 'end', reason: hasCalls ? 'tool-calls' : (stops[reason] ?? 'stop'), usage: countUsage(usage) }]
    },
    error: ({ error }) => [explain(error)],
  }
  return <Type extends Part['type']>(part: PartOf<Type>) => handlers[part.type as Type](part)
}

const stops: Readonly<Record<string, StopReason>> = { length: 'length', 'content-filter': 'content-filter' }

/** Version 2 has numbers where version 3 has an object with parts; what nobody tells is zero. */
function countUsage({ inputTokens, outputTokens, reasoningTokens, cachedInputTokens }: WireUsage): Usage {
  const input = typeof inputTokens === 'object' ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens, cacheWrite: 0 }
  const output = typeof outputTokens === 'object' ? outputTokens : { total: outputTokens, reasoning: reasoningTokens }
  return {
    ...{ input: whole(input?.total), output: whole(output?.total), reasoning: whole(output?.reasoning) },
    ...{ cacheRead: whole(input?.cacheRead), cacheWrite: whole(input?.cacheWrite) },
  }
}

const whole = (count: number | null | undefined): number => Math.max(0, Math.round(count ?? 0))
