import { config as configSchema } from '../src/config.ts'
import { openMailWorld, type Written } from './mail-world.ts'

/** A mailbox of a provider, in the terms of the contract suite. */
export async function openContractWorld() {
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
    receiveOne: async (text: string) => world.write({ text, isAnswer: true }),
    receiveFile: async (file: Written['file'] & object) => world.write({ text: 'look', file }),
    loseReceipt: () => smtp.breakNext({ type: 'lose-answer' }),
    cut: async () => imap.cut(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
