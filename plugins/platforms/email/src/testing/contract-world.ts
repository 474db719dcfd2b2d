import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { config as configSchema } from '../config.ts'
import { openMailWorld } from './mail-world.ts'

/** A mailbox of a provider, in the terms of the contract suite. */
export async function openWorld(): Promise<PlatformWorld> {
  const world = await openMailWorld()
  const { imap, smtp } = world
  const config = configSchema.parse({ ...world.extra, trust_from: true })
  return {
    config,
    secrets: world.secrets('right-password'),
    account: 'agent@example.org',
    conversation: 'ann@example.org',
    refused: { config, secrets: world.secrets('wrong-password') },
    silent: { config: { ...config, imap_port: world.silentPort }, secrets: world.secrets('right-password') },
    sent: () => world.sent().map(({ text }) => text),
    files: () => world.sent().flatMap(({ files }) => files),
    receiveOne: async (text) => world.write({ text, isAnswer: true }),
    receiveFile: async (file) => world.write({ text: 'look', file }),
    loseReceipt: () => smtp.breakNext({ type: 'lose-answer' }),
    cut: async () => imap.cut(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
