import type { InboundMessage, PressAnswer } from '@agent/plugin-sdk'
import type { Bot } from './bot.ts'
import { readActor, readCommand } from './inbound.ts'
import type { Interaction } from './wire.ts'

/** Shown to nobody but whom it is for. */
const onlyForYou = 64
const mostCharacters = 2000

/** Answers a button or a command of the menu at once, as Discord waits no longer than three seconds; resolves with a command as a message. */
export async function answerInteraction(bot: Bot, interaction: Interaction): Promise<InboundMessage | undefined> {
  const { context, life, channels, account } = bot
  const { type, data, channel_id: channelId } = interaction
  try {
    if (type === 2) {
      await acknowledge(bot, interaction, { type: 4, data: { content: `/${data?.name ?? ''} is on its way.`, flags: onlyForYou } })
    } else if (type === 3) await acknowledge(bot, interaction, { type: 6 })
    const channel = channelId === undefined ? undefined : await channels.find(channelId, life.signal)
    if (type === 2) return readCommand(interaction, channel, account)
    const actor = type === 3 ? readActor(interaction, channel) : undefined
    if (!actor || data?.custom_id === undefined) return undefined
    await showAnswer(bot, interaction, await context.press({ account, ...actor, button: data.custom_id }))
  } catch (error) {
    if (!life.signal.aborted) context.log.warn('an interaction could not be answered', { detail: String(error) })
  }
  return undefined
}

async function acknowledge({ ask, life, context }: Bot, { id, token }: Interaction, callback: object): Promise<void> {
  const { ok, detail } = await ask('POST', `/interactions/${id}/${token}/callback`, life.signal, callback)
  if (!ok) context.log.warn('Discord did not take the answer to an interaction', { detail })
}

/** An answered question loses its buttons; a refusal is for the eyes of who pressed. */
async function showAnswer(bot: Bot, { token, message }: Interaction, { status, text }: PressAnswer): Promise<void> {
  const path = `/webhooks/${bot.application}/${token}`
  const allowed_mentions = { parse: [] }
  const ask = (method: string, where: string, json: object) =>
    bot.ask(method, `${path}${where}`, bot.life.signal, { ...json, allowed_mentions })
  if (status === 'taken') {
    const question = message?.content.slice(0, Math.max(mostCharacters - text.length - 2, 0))
    await ask('PATCH', '/messages/@original', { content: question ? `${question}\n\n${text}` : text, components: [] })
    return
  }
  if (status === 'late') await ask('PATCH', '/messages/@original', { components: [] })
  await ask('POST', '', { content: text, flags: onlyForYou })
}
