import { openFakeServer, type PlatformWorld } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openMattermostServer } from './mattermost-server.ts'
import { bot, town } from './mattermost-world.ts'
import { troublesOf } from './troubles.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openMattermostServer()
  const silence = await openFakeServer(() => new Promise(() => undefined))
  const { world } = server
  const set = (url: string, token: string) => ({
    config: config.parse({}),
    secrets: { MATTERMOST_URL: url, MATTERMOST_TOKEN: token },
  })
  const ours = () => world.posts.filter(({ user_id }) => user_id === bot.id)
  let thread = ''
  return {
    ...set(server.url, 'token-of-the-bot'),
    account: bot.id,
    conversation: town,
    refused: set(server.url, 'another-token'),
    silent: set(silence.url, 'token-of-the-bot'),
    sent: () => ours().map(({ message }) => message),
    receiveOne: async (text) => void server.say(text),
    redeliver: async () => server.retell(),
    receiveInGroup: async (text, toBot) => void server.say(toBot ? `@agent ${text}` : text, { channel: town }),
    receiveInThread: async (text) => {
      thread = server.say(`@agent ${text}`, { channel: town }).id
    },
    sentInThread: () =>
      ours()
        .filter(({ root_id }) => root_id === thread)
        .map(({ message }) => message),
    receiveFile: async (file) => void server.say('', { files: [file] }),
    files: () => ours().flatMap(({ file_ids }) => file_ids.flatMap((id) => world.files.get(id) ?? [])),
    typings: () => world.typings.length,
    marks: () => [...(world.reactions.get(world.posts.findLast(({ user_id }) => user_id !== bot.id)?.id ?? '') ?? [])],
    loseReceipt: () => server.loseReceipt(),
    disturb: (what) => troublesOf(server).disturb(what),
    cut: async () => server.http.cut(),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await silence[Symbol.asyncDispose]()
    },
  }
}
