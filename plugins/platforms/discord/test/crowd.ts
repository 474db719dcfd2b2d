import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openDiscordServer } from './discord-server.ts'
import { bot, type FakeUser } from './discord-world.ts'
import { troublesOf } from './troubles.ts'

/** Many people who write to the bot directly. Discord shows no bot its direct conversations: a first message is not kept for who is away. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const discord = await openDiscordServer()
  const { world, gateway } = discord
  const people = Array.from({ length: 20 }, (_, index) => ({
    channel: `${8000 + index}`,
    author: { id: `${5000 + index}`, username: `person${index}` } satisfies FakeUser,
  }))
  for (const { channel } of people) world.channels.set(channel, { id: channel, type: 1 })
  return {
    config: config.parse({ base_url: discord.url }),
    secrets: { DISCORD_BOT_TOKEN: 'token.of.bot' },
    people: people.length,
    say: (person, text) => void discord.say(text, people[person]),
    heard: (person) =>
      world.messages
        .filter(({ author, channel }) => author === bot.id && channel === people[person]?.channel)
        .map(({ content }) => content),
    connections: () => gateway.counts.identify,
    ...troublesOf(discord),
    [Symbol.asyncDispose]: () => discord.close(),
  }
}
