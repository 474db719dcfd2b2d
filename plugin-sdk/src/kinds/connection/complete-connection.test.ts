import { expect, test } from 'vitest'
import { manifestSchema } from '../manifest.ts'
import type { Connection } from '../platform.ts'
import { completeConnection, optionalMethods } from './complete-connection.ts'

const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

function specOf(capabilities: Readonly<Record<string, boolean>>) {
  const platform = { id: 'chat', entry: 'dist/a.js', label: 'Chat', door: 'messaging', reach: 'people', capabilities, limits: {} }
  const about = { manifestVersion: 1, id: 'platform-chat', name: 'Chat', description: '', version: '1.0.0', license: 'MIT', api: {} }
  const [spec] = manifestSchema.parse({ ...about, contributes: { platforms: [platform] } }).contributes.platforms
  if (!spec) throw new Error('there is no platform')
  return spec
}

/** Knows itself by `this`, as an object of a class does. */
class Talker implements Connection {
  readonly name = 'bot'
  async identity() {
    return { id: this.name, name: this.name }
  }
  async edit() {
    return { status: 'sent', platformId: this.name } as const
  }
  async *fetchMedia() {
    yield new TextEncoder().encode(this.name)
  }
  async lastHeard() {
    return this.name.length
  }
  async close() {
    if (this.name !== 'bot') throw new Error('lost itself')
  }
}

async function answersOf(connection: Connection, capabilities: Readonly<Record<string, boolean>>) {
  const complete = completeConnection(connection, specOf(capabilities))
  const media = async (): Promise<string> => {
    const bytes: number[] = []
    for await (const piece of complete.fetchMedia({ id: 'f', kind: 'image', mime: 'image/png' }, call)) bytes.push(...piece)
    return String(Buffer.from(bytes))
  }
  const blindly = complete as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
  const ask = (name: string): Promise<unknown> => (name === 'fetchMedia' ? media() : (blindly[name]?.('', '', call) ?? Promise.resolve()))
  const answers = await Promise.allSettled(['send', 'identity', ...optionalMethods].map(ask))
  return { complete, answers: answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason)) }
}

const unsupported = (what: string) => expect.objectContaining({ code: 'UNSUPPORTED', params: { what, by: 'Chat' } })

test('what is declared and there is asked, with its own this; all else is unsupported by name', async () => {
  const { complete, answers } = await answersOf(new Talker(), { edit: true, fetchMedia: true, typing: true })
  expect(answers).toEqual([
    unsupported('send'),
    { id: 'bot', name: 'bot' },
    { status: 'sent', platformId: 'bot' },
    unsupported('findSent'),
    unsupported('typing'),
    unsupported('endTyping'),
    unsupported('react'),
    'bot',
    unsupported('setCommands'),
    unsupported('listConversations'),
  ])
  expect(await complete.lastHeard(call)).toBe(3)
  await complete.close(call)
})

test('what is there and not declared is not asked', async () => {
  const { answers } = await answersOf(new Talker(), {})
  expect(answers.slice(2)).toEqual(optionalMethods.map(unsupported))
})
