import type { ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { withStore } from '#rpc/home/open-home-store.ts'
import { formatExport } from '#store/exported/format-export.ts'
import type { SessionSummary, Session as StoredSession } from '#store/sessions.ts'
import type { Session, SessionList, SessionMessages, ShownMessage, ShownTool } from '../api.ts'
import { count, nothing, type Router } from '../server/router.ts'

const source = z.optional(z.string().check(z.maxLength(100)))
const page = z.strictObject({ limit: z.optional(count(1, 500)), offset: z.optional(count(0, 999_999)), source })
const query = z.strictObject({ q: z.string().check(z.minLength(1), z.maxLength(500)), limit: z.optional(count(1, 500)), source })
const titled = z.strictObject({ title: z.string().check(z.maxLength(500)) })
const one = '/api/sessions/:id'

/** Past conversations. */
export function addSessions(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/sessions', takes: page },
    answer: ({ context, input: { limit = 20, offset = 0, source } }) =>
      withStore(context, async ({ sessions }): Promise<SessionList> => {
        const found = await sessions.list({ limit: limit + 1, offset, source })
        return { sessions: found.slice(0, limit).map(toSession), more: found.length > limit }
      }),
  })
  router.add({
    ...{ method: 'GET', url: '/api/sessions/search', takes: query },
    answer: ({ context, input: { q, limit = 20, source } }) =>
      withStore(context, async ({ sessions }): Promise<SessionList> => {
        const hits = await sessions.search(q, { limit, source })
        const found: Session[] = []
        for (const hit of hits) {
          const stored = found.some(({ id }) => id === hit.session) ? undefined : await sessions.find(hit.session)
          if (stored) found.push(toSession({ ...stored, preview: hit.snippet }))
        }
        return { sessions: found, more: hits.length === limit }
      }),
  })
  router.add({
    ...{ method: 'GET', url: `${one}/messages`, takes: nothing },
    answer: ({ context, id }) =>
      withStore(context, async ({ sessions }): Promise<SessionMessages> => {
        const stored = await sessions.resolve(id)
        const messages: ShownMessage[] = []
        for await (const line of sessions.export(stored.id)) if (line.type === 'message') addMessage(messages, line.message, line.at)
        return { session: toSession(withPreview(stored, messages)), messages }
      }),
  })
  router.add({
    ...{ method: 'PATCH', url: one, takes: titled },
    answer: ({ context, id, input }) =>
      withStore(context, async ({ sessions }) => ({ title: await sessions.rename((await sessions.resolve(id)).id, input.title) })),
  })
  router.add({
    ...{ method: 'DELETE', url: one, takes: nothing },
    answer: ({ context, id }) =>
      withStore(context, async ({ sessions }) => {
        const { id: found } = await sessions.resolve(id)
        await sessions.delete(found)
        return { deleted: found }
      }),
  })
  router.add({
    ...{ method: 'GET', url: `${one}/export`, takes: nothing },
    answer: ({ context, id, reply }) =>
      withStore(context, async ({ sessions }) => {
        const lines: string[] = []
        for await (const line of sessions.export((await sessions.resolve(id)).id)) lines.push(formatExport(line))
        reply.type('application/x-ndjson').header('content-disposition', 'attachment; filename="session.jsonl"')
        return `${lines.join('\n')}\n`
      }),
  })
}

function toSession({ id, title, source, provider, model, startedAt, lastAt, messages, preview }: Omit<SessionSummary, 'usage'>): Session {
  const named = title === null ? {} : { title }
  return { id, ...named, source, model: `${provider}/${model}`, createdAt: startedAt, updatedAt: lastAt, messages, preview }
}

function withPreview(stored: StoredSession, messages: readonly ShownMessage[]): SessionSummary {
  return { ...stored, preview: (messages.find(({ role }) => role === 'user')?.text ?? '').slice(0, 200) }
}

/** Results of tools stand with the calls that they answer. */
function addMessage(shown: ShownMessage[], message: ModelMessage, at: number): void {
  if (message.role === 'user') {
    shown.push({ role: 'user', at, text: textOf(message.parts) })
    return
  }
  if (message.role === 'assistant') {
    const tools = message.parts.flatMap((part) => (part.type === 'call' ? [{ id: part.id, name: part.name, args: part.args }] : []))
    shown.push({ role: 'assistant', at, text: textOf(message.parts), tools })
    return
  }
  const last = shown.at(-1)
  if (last?.role !== 'assistant') return
  const results = new Map(message.results.map((result) => [result.id, result]))
  shown[shown.length - 1] = { ...last, tools: last.tools.map((tool) => ({ ...tool, ...outcomeOf(results.get(tool.id)) })) }
}

function outcomeOf(outcome: ToolOutcome | undefined): Partial<ShownTool> {
  return outcome ? { ok: outcome.ok, text: outcome.text } : {}
}

const textOf = (parts: readonly { readonly type: string }[]): string =>
  parts.map((part) => (part.type === 'text' && 'text' in part ? String(part.text) : '')).join('')
