import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { ann, openSignalDaemon, own, room } from './signal-daemon.ts'
import { troublesOf } from './troubles.ts'

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const daemon = await openSignalDaemon()
  const config: Config = { http_url: daemon.url }
  const secretsWith = (number: string) => ({ SIGNAL_ACCOUNT: number })
  const said: string[] = []
  const say = (text: string, more?: Readonly<Record<string, unknown>>): void => {
    said.push(`${ann.uuid}:${daemon.say(text, more, { serverReceivedTimestamp: Date.now() })}`)
  }
  return {
    config,
    secrets: secretsWith(own.number),
    account: own.number,
    conversation: ann.uuid,
    refused: { config, secrets: secretsWith('+43999999999') },
    silent: { config, secrets: secretsWith('+43000000000') },
    receiveOne: async (text) => say(text),
    receiveInGroup: async (text, toBot) => {
      const mention = toBot && { mentions: [{ ...own, name: own.number, start: 0, length: 1 }] }
      say(toBot ? `\ufffc ${text}` : text, { groupInfo: { groupId: room.id, groupName: room.name, type: 'DELIVER' }, ...mention })
    },
    receiveFile: async (file) => daemon.sendFile(file),
    sent: () => daemon.sent.map(({ text }) => text),
    files: () => daemon.sent.flatMap(({ files }) => files),
    typings: () => daemon.typings.length,
    isTyping: () => daemon.typings.at(-1)?.stop === undefined,
    marks: () => [daemon.reactions.get(said.at(-1) ?? '') ?? []].flat(),
    disturb: (what) => troublesOf(daemon).disturb(what),
    cut: async () => daemon.server.cut(),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
