import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openMattermostServer } from './mattermost-server.ts'
import { bot } from './mattermost-world.ts'
import { troublesOf } from './troubles.ts'

/** Many people who write to the bot directly. The server keeps everything; the bot asks for what it missed. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const token = 'token-of-the-bot'
  const mattermost = await openMattermostServer({ token })
  const { http, world } = mattermost
  const people = Array.from({ length: 20 }, (_, index) => {
    const number = String(index).padStart(2, '0')
    const author = { id: `person${number}`.padEnd(26, '0'), username: `person${number}`, is_bot: false }
    return { author, channel: `direct${number}`.padEnd(26, '0') }
  })
  for (const { author, channel } of people) {
    world.users.push(author)
    world.channels.push({ id: channel, type: 'D', name: `${author.id}__${bot.id}`, display_name: '' })
  }
  return {
    config: config.parse({}),
    secrets: { MATTERMOST_URL: mattermost.url, MATTERMOST_TOKEN: token },
    people: people.length,
    say: (person, text) => void mattermost.say(text, people[person]),
    heard: (person) =>
      world.posts
        .filter(({ user_id, channel_id }) => user_id === bot.id && channel_id === people[person]?.channel)
        .map(({ message }) => message),
    isTaken: () => true,
    connections: () => http.journal.filter(({ url }) => url === '/api/v4/users/me/channels').length,
    ...troublesOf(mattermost),
    [Symbol.asyncDispose]: () => mattermost.close(),
  }
}
