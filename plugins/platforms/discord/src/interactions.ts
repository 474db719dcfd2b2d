import type { InboundMessage, PlatformContext, Press, PressAnswer } from '@agent/plugin-sdk'
import type { Api } from './api.ts'
import type { Channels } from './channels.ts'
import { readActor, readCommand } from './inbound.ts'
import type { Interaction } from './wire.ts'

export interface RepliesOptions {
  readonly context: Pick<PlatformContext, 'press' | 'log'>
  readonly api: Pick<Api, 'ask'>
  readonly channels: Pick<Channels, 'find'>
  readonly application: string
  /** The bot's own id. */
  readonly account: string
  readonly signal: AbortSignal
}

/** Answers buttons and commands of the menu. */
export interface Replies {
  /** Answers at once, as Discord waits no longer than three seconds; resolves with a command as a message. */
  answer(interaction: Interaction): Promise<InboundMessage | undefined>
}

const kinds = { command: 2, component: 3 } as const
const callbacks = { message: 4, deferredUpdate: 6 } as const
/** Shown to nobody but whom it is for. */
const onlyForYou = 64
const mostCharacters = 2000

export function createReplies(options: RepliesOptions): Replies {
  const { api, channels, account, signal, context } = options
  const acknowledge = async ({ id, token }: Interaction, callback: object): Promise<void> => {
    const answer = await api.ask('POST', `/interactions/${id}/${token}/callback`, { signal, json: callback })
    if (!answer.ok) context.log.warn('Discord did not take the answer to an interaction', { detail: answer.detail })
  }
  const findChannel = async ({ channel_id: id }: Interaction) => (id === undefined ? undefined : await channels.find(id, signal))

  const onCommand = async (interaction: Interaction): Promise<InboundMessage | undefined> => {
    const data = { content: `/${interaction.data?.name ?? ''} is on its way.`, flags: onlyForYou }
    await acknowledge(interaction, { type: callbacks.message, data })
    return readCommand(interaction, await findChannel(interaction), account)
  }
  const onButton = async (interaction: Interaction): Promise<undefined> => {
    await acknowledge(interaction, { type: callbacks.deferredUpdate })
    const actor = readActor(interaction, await findChannel(interaction))
    const button = interaction.data?.custom_id
    if (!actor || button === undefined) return
    const press: Press = { account, ...actor, button }
    await showAnswer(options, interaction, await context.press(press))
  }
  return {
    answer: async (interaction) => {
      try {
        if (interaction.type === kinds.command) return await onCommand(interaction)
        if (interaction.type === kinds.component) return await onButton(interaction)
      } catch (error) {
        if (!signal.aborted) context.log.warn('an interaction could not be answered', { detail: String(error) })
      }
      return undefined
    },
  }
}

/** What is shown: an answered question loses its buttons; a refusal is for the eyes of who pressed. */
async function showAnswer(
  { api, application, signal }: RepliesOptions,
  { token, message }: Interaction,
  { status, text }: PressAnswer,
): Promise<void> {
  const path = `/webhooks/${application}/${token}`
  const quiet = { allowed_mentions: { parse: [] } }
  if (status === 'taken') {
    const content = joinTexts(message?.content ?? '', text)
    await api.ask('PATCH', `${path}/messages/@original`, { signal, json: { content, components: [], ...quiet } })
    return
  }
  if (status === 'late') await api.ask('PATCH', `${path}/messages/@original`, { signal, json: { components: [] } })
  await api.ask('POST', path, { signal, json: { content: text, flags: onlyForYou, ...quiet } })
}

function joinTexts(question: string, answer: string): string {
  const room = mostCharacters - answer.length - 2
  return question === '' || room <= 0 ? answer : `${question.slice(0, room)}\n\n${answer}`
}
