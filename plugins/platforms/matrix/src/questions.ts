import type { Button, OutboundMessage, Wire } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { type Content, formatEdit, formatRelation, formatText, readPlace } from './content.ts'
import type { Session } from './session.ts'
import { parseReaction, type RoomEvent } from './wire.ts'

/** Questions whose buttons are reactions: ours stand below the message, and somebody adds theirs to one of them. */
export interface Questions {
  /** Puts the buttons of `message` below it in place of those that were there. */
  replace(room: string, id: string, message: OutboundMessage): Promise<void>
  /** A reaction of somebody, which may be an answer. */
  onReaction(room: string, event: RoomEvent): Promise<void>
}

/** Kept while a question is open, over restarts. */
const choice = z.object({ key: z.string(), button: z.string(), reaction: z.string() })
const question = z.object({ conversation: z.string(), text: z.string(), choices: z.array(choice) })
type Question = z.output<typeof question>

const digits = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣', '🔟']

export function createQuestions(session: Session): Questions {
  const { context, user, rooms, put } = session
  const { state, log } = context
  let opened = 0
  const find = async (id: string): Promise<Question | undefined> => question.safeParse(await state.get(`ask:${id}`)).data

  const close = async (room: string, id: string, { choices }: Question): Promise<void> => {
    await state.delete(`ask:${id}`)
    for (const { reaction } of choices) await put(room, ['redact', reaction, 'close'], {})
  }
  const open = async (room: string, id: string, { conversation, text, buttons = [] }: OutboundMessage): Promise<void> => {
    const keys = chooseKeys(buttons)
    const choices: z.output<typeof choice>[] = []
    for (const [index, { id: button }] of buttons.entries()) {
      const key = keys[index] ?? ''
      opened += 1
      const reaction = await put(room, ['send', 'm.reaction', `${context.clock.now()}-${opened}-${id}`], annotate(id, key))
      choices.push({ key, button, reaction })
      await state.set(`ask:${id}`, { conversation, text, choices: choices.map((one): Wire => ({ ...one })) })
    }
  }
  const answer = async (room: string, event: RoomEvent, id: string, asked: Question, button: string): Promise<void> => {
    const { thread } = readPlace(asked.conversation)
    const kind = thread ? 'thread' : (await rooms.describe(room)).direct ? 'dm' : 'group'
    const conversation = { id: asked.conversation, kind, ...(thread && { parent: room }) } as const
    const name = await rooms.findName(room, event.sender)
    const sender = { id: event.sender, ...(name && { name }), isBot: false }
    const { status, text } = await context.press({ account: user, conversation, sender, button })
    // Matrix has no words for one person alone.
    const told = { ...formatText({ text: `${name ?? event.sender}: ${text}` }), msgtype: 'm.notice', ...formatRelation(thread, id) }
    if (status !== 'taken') await put(room, ['send', 'm.room.message', `told-${event.event_id}`], told)
    if (status === 'refused') return
    const shown = formatEdit(id, formatText({ text: asked.text }, status === 'taken' ? text : ''))
    await put(room, ['send', 'm.room.message', `answer-${event.event_id}`], shown)
    await close(room, id, asked)
  }
  return {
    replace: async (room, id, message) => {
      try {
        const before = await find(id)
        if (before) await close(room, id, before)
        await open(room, id, message)
      } catch (error) {
        // The message is there; its choices can be answered with words.
        log.warn('the reactions below a question could not be changed', { reason: String(error) })
      }
    },
    onReaction: async (room, event) => {
      const { event_id: id, key, rel_type } = parseReaction(event.content) ?? {}
      if (rel_type !== 'm.annotation' || id === undefined || key === undefined || event.sender === user) return
      const asked = await find(id)
      const chosen = asked?.choices.find((one) => normalize(one.key) === normalize(key))
      if (!asked || !chosen) return
      await answer(room, event, id, asked, chosen.button).catch((error: unknown) => {
        log.warn('a reaction could not be answered', { reason: String(error) })
      })
    },
  }
}

/** One line for each button, with its sign. */
export function formatChoices(buttons: readonly Button[] = []): string {
  const keys = chooseKeys(buttons)
  return buttons.map(({ label }, index) => `${keys[index]} ${label}`).join('\n')
}

export const annotate = (id: string, key: string): Content => ({ 'm.relates_to': { rel_type: 'm.annotation', event_id: id, key } })

/** ✅ and ❌ where the buttons say so, else figures. */
function chooseKeys(buttons: readonly Button[]): readonly string[] {
  const taken = new Set<string>()
  return buttons.map(({ style }, index) => {
    const wanted = style === 'primary' ? '✅' : style === 'danger' ? '❌' : undefined
    const key = wanted !== undefined && !taken.has(wanted) ? wanted : (digits[index] ?? `${index + 1}`)
    taken.add(key)
    return key
  })
}

/** Clients write the same sign with and without the mark that makes it coloured. */
const normalize = (key: string): string => key.replaceAll('\ufe0f', '')
