import { estimateTokens, type ModelMessage, type Panel } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Compression, Sessions } from '#store/sessions.ts'
import { compressSession, type LengthParts } from './session-length.ts'

type PanelConversations = Parameters<Panel['open']>[0]['conversations']

export interface PanelConversationsParts extends Omit<LengthParts, 'store'> {
  readonly store: { readonly sessions: Pick<Sessions, 'list' | 'find' | 'compressions' | 'heard' | 'export'> }
}

/** So many conversations are listed. */
const most = 100

/** How long conversations are, for a page of the dashboard: who sees that is the owner, who sees the conversations too. */
export function conversationsForPanels(parts: PanelConversationsParts, signal: AbortSignal): PanelConversations {
  const { sessions } = parts.store
  return {
    async list() {
      const now = await parts.length.now()
      return await Promise.all(
        (await sessions.list({ limit: most })).map(async ({ id: session, title, preview, source, lastAt, context }) => ({
          ...{ session, title: title ?? preview, source, lastAt, ...lengthOf(context, now) },
          compressions: await sessions.compressions(session),
        })),
      )
    },
    async look({ session: id }) {
      const session = await sessions.find(id)
      if (!session) throw fail('SESSION_NOT_FOUND', { session: id })
      const [compressed, heard] = [await compressionsOf(sessions, id), await sessions.heard(id)]
      const notes = compressed.at(-1)?.compression.messages ?? []
      const sizes = { prompt: session.system, tools: session.tools, notes, messages: heard.slice(notes.length) }
      return {
        ...{ title: session.title ?? id, ...lengthOf(session.context, await parts.length.now()) },
        ...{ messages: session.messages, prompt: session.system, notes: notes.map(textOf).filter(Boolean).join('\n\n') },
        parts: (['prompt', 'tools', 'notes', 'messages'] as const).map((name) => ({
          name,
          tokens: sizes[name].length === 0 ? 0 : estimateTokens(sizes[name]),
        })),
        compressions: compressed.map(({ at, compression: { reason, tokensBefore: before, tokensAfter: after } }) => ({
          ...{ at, reason, before, after },
        })),
      }
    },
    compress: ({ session, keep = '' }) => compressSession(parts, session, keep, signal),
  }
}

/** Without what nobody knows, and what is never done. */
function lengthOf(tokens: number | null, now: Awaited<ReturnType<LengthParts['length']['now']>>) {
  return {
    ...(tokens !== null && { tokens }),
    ...(now && { window: now.window }),
    ...(now?.limit !== undefined && { limit: now.limit }),
  }
}

async function compressionsOf(sessions: Pick<Sessions, 'export'>, id: string): Promise<{ at: number; compression: Compression }[]> {
  const found: { at: number; compression: Compression }[] = []
  for await (const line of sessions.export(id)) if (line.type === 'compression') found.push(line)
  return found
}

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return ''
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
