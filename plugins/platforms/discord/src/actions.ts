import type { Attachment, Call, Command, Connection, MessageRef, Mood } from '@agent/plugin-sdk'
import { isVendorAddress } from '@agent/plugin-sdk/http'
import { unreachable } from './api.ts'
import type { Bot } from './bot.ts'
import { describePlace, isForum, isWritten, parsePlace } from './place.ts'
import { isId, read, wire } from './wire.ts'

/** What a bot does besides sending. */
export function createActions(
  bot: Bot,
): Pick<Required<Connection>, 'react' | 'typing' | 'fetchMedia' | 'setCommands' | 'listConversations'> {
  return {
    react: (message, mood, call) => react(bot, message, mood, call),
    fetchMedia: (attachment, call) => fetchMedia(bot, attachment, call),
    setCommands: (commands, call) => setCommands(bot, commands, call),
    listConversations: async () => bot.channels.list().filter(isWritten).map(describePlace),
    typing: async (conversation, { signal }) => {
      const place = parsePlace(conversation)
      if (place) await bot.ask('POST', `/channels/${bot.threads.channelOf(place)}/typing`, signal)
    },
  }
}

const marks: Readonly<Record<Mood, string>> = { seen: '👀', done: '✅', failed: '❌' }

async function react(bot: Bot, { conversation, id }: MessageRef, mood: Mood, { signal }: Call): Promise<void> {
  const place = parsePlace(conversation)
  if (!bot.settings.reactions || !place || !isId(id)) return
  // The message with which a thread began lies in the channel of the thread, except in a forum.
  const outside = place.parent !== undefined && id === place.channel && !isForum(await bot.channels.find(place.parent, signal))
  const change = async (method: string, mark: string): Promise<void> => {
    const path = `/channels/${outside ? place.parent : place.channel}/messages/${id}/reactions/${encodeURIComponent(mark)}/@me`
    const { ok, status, detail } = await bot.ask(method, path, signal)
    if (!ok && status !== 404) throw unreachable(detail)
  }
  await change('PUT', marks[mood])
  if (mood !== 'seen') await change('DELETE', marks.seen)
}

/** Where Discord keeps files. */
const hosts = ['discordapp.com', 'discordapp.net', 'discord.com']

/** The address of a file is asked for again: the one that came with the message may have ended. */
async function* fetchMedia(bot: Bot, { id }: Attachment, { signal }: Call): AsyncGenerator<Uint8Array> {
  const [channel, message, file] = id.split('/')
  const { body } = await bot.demand('GET', `/channels/${channel}/messages/${message}`, signal)
  const url = read(wire.message, body)?.attachments?.find((one) => one.id === file)?.url
  if (url === undefined) throw unreachable('the message has no such file any more')
  if (!isVendorAddress(url, bot.settings.baseUrl, hosts)) throw unreachable('the file lies outside of Discord')
  // The token is not shown to the servers that keep files.
  const response = await bot.context.fetch(url, { signal, redirect: 'error' })
  if (!response.ok || !response.body) throw unreachable(`the file was answered ${response.status}`)
  yield* response.body as unknown as AsyncIterable<Uint8Array>
}

const [mostCommands, text] = [100, 3]
const [wantsEntryPoint, entryPoint] = [50_240, 4]
const cut = (words: string): string => [...words].slice(0, 100).join('') || '…'

/** The list replaces the one before; what is the same in both is no new command for Discord. */
async function setCommands({ ask, demand, settings, application }: Bot, commands: readonly Command[], { signal }: Call): Promise<void> {
  if (!settings.menu) return
  const list = commands.slice(0, mostCommands).map(({ name, summary, args }) => {
    const options = args === '' ? [] : [{ type: text, name: 'args', description: cut(args), required: false }]
    return { name, description: cut(summary), options }
  })
  const path = `/applications/${application}/commands`
  const { ok, code, detail } = await ask('PUT', path, signal, list)
  if (ok) return
  if (code !== wantsEntryPoint) throw unreachable(detail)
  // An application with an activity has a command for it, which stays as it is.
  const { body } = await demand('GET', path, signal)
  const entry = (read(wire.commands, body) ?? []).filter(({ type }) => type === entryPoint)
  await demand('PUT', path, signal, [...list.slice(0, mostCommands - entry.length), ...entry])
}
