import { openFakeServer, type PlatformWorld } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openDiscordServer } from './discord-server.ts'
import { ann, bot, general } from './discord-world.ts'
import { troublesOf } from './troubles.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openDiscordServer()
  const silence = await openFakeServer(() => new Promise(() => undefined))
  const set = (base_url: string, token: string) => ({ config: config.parse({ base_url }), secrets: { DISCORD_BOT_TOKEN: token } })
  const ours = (channel?: string) =>
    server.world.messages.filter(({ author, channel: where }) => author === bot.id && (!channel || channel === where))
  const last = () => ours().at(-1)
  let thread = ''
  let presses = 0
  return {
    ...set(server.url, 'token.of.bot'),
    account: bot.id,
    conversation: general,
    refused: set(server.url, 'another.token'),
    silent: set(silence.url, 'token.of.bot'),
    sent: () => ours().map(({ content }) => content),
    receiveOne: async (text) => void server.say(text),
    redeliver: async () => server.retell(),
    receiveInGroup: async (text, toBot) => void server.say(text, { channel: general, mention: toBot }),
    receiveInThread: async (text) => {
      thread = server.say(text, { channel: general, mention: true }).id
    },
    sentInThread: () => ours(thread).map(({ content }) => content),
    receiveFile: async (file) => void server.say('', { files: [file] }),
    files: () => ours().flatMap(({ files }) => files),
    press: async (label) => {
      const message = last()
      const button = message?.components.flatMap(({ components }) => components).find((one) => one.label === label)
      presses += 1
      server.interact({
        id: `${presses}`,
        type: 3,
        guild_id: '700',
        channel_id: general,
        member: { user: ann, roles: [] },
        data: { custom_id: button?.custom_id, component_type: 2 },
        message: { id: message?.id, content: message?.content },
      })
    },
    buttons: () => last()?.components.flatMap(({ components }) => components.map(({ label }) => label)) ?? [],
    typings: () => server.world.typings.length,
    marks: () => {
      const said = server.world.messages.findLast(({ author }) => author !== bot.id)
      return [...(said?.reactions.keys() ?? [])]
    },
    menu: () => server.world.commands.map(({ name }) => name),
    loseReceipt: () => server.loseReceipt(),
    disturb: (what) => troublesOf(server).disturb(what),
    cut: async () => {
      server.gateway.faults.forgetful = true
      server.gateway.cut()
    },
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await silence[Symbol.asyncDispose]()
    },
  }
}
