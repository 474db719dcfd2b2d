import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { unlimited } from './matrix-limit.ts'
import { openMatrixServer } from './matrix-server.ts'
import { bot } from './matrix-store.ts'
import { say, shown } from './matrix-world.ts'
import { troublesOf } from './troubles.ts'

/** Many people, each in a room with the bot alone. */
export async function openCrowd(): Promise<PlatformCrowd> {
  // Twenty people at once are more than one account may answer on Synapse's own limits; its owner has lifted them for the bot.
  const matrix = await openMatrixServer(unlimited)
  const { http, store } = matrix
  const people = Array.from({ length: 20 }, (_, index) => ({ user: `@person${index}:test`, room: `!person${index}:test` }))
  for (const { user, room } of people) store.addRoom({ id: room, members: { [bot]: 'Agent', [user]: user } })
  const syncs = (): readonly URLSearchParams[] =>
    http.journal.filter(({ url }) => url.includes('/v3/sync')).map(({ url }) => new URL(url, 'http://fake').searchParams)
  return {
    config: config.parse({}),
    secrets: { MATRIX_HOMESERVER: matrix.url, MATRIX_ACCESS_TOKEN: matrix.token() },
    people: people.length,
    say: (person, text) => {
      const { user, room } = people[person] ?? {}
      if (user && room) say(matrix, room, text, {}, user)
    },
    heard: (person) => shown(matrix, people[person]?.room).map(({ content }) => String(content.body)),
    isTaken: () => {
      const newest = store.stream.findLastIndex(({ event }) => event.type === 'm.room.message' && event.sender !== bot)
      return Number(syncs().at(-1)?.get('since')?.slice(1)) > newest
    },
    // What is said before the first position is known is history.
    connections: () => http.journal.filter(({ url }) => url.includes('/v3/sync') && url.includes('since=')).length,
    ...troublesOf(matrix),
    [Symbol.asyncDispose]: () => matrix[Symbol.asyncDispose](),
  }
}
