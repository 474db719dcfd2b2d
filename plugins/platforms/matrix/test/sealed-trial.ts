import { setTimeout as pause } from 'node:timers/promises'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import type { ServerTrial, TrialGateway } from '../../../../test/support/servers/server-trials.ts'
import { type Heard, openSealedClient, type SealedClient } from './sealed-client.ts'
import { openSynapseWithAnn } from './synapse-client.ts'

const withinMs = 30_000
const encryption = { type: 'm.room.encryption', state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } }

/** An encrypted direct room from the invitation on: answers, one that grows, files both ways, a killed gateway, a second device. */
export async function openSealedTrial(tree: DebianTree): Promise<ServerTrial> {
  const { bot, client, logInAgain, environment, close } = await openSynapseWithAnn(tree)
  return {
    what: 'an encrypted conversation',
    config: {},
    environment,
    async talk(gateway) {
      const devices = [await openSealedClient(client)]
      const openAnother = async (): Promise<SealedClient> => {
        const device = await openSealedClient(await logInAgain())
        devices.push(device)
        return device
      }
      try {
        const [ann] = devices
        if (!ann) throw new Error('Ann has no device.')
        const room = await client.openRoomWith(bot, { initial_state: [encryption] })
        return await talkSealed({ ann, openAnother, room, bot, gateway })
      } finally {
        for (const device of devices) await device.close()
      }
    },
    [Symbol.asyncDispose]: close,
  }
}

interface Talk {
  readonly ann: SealedClient
  /** Ann takes a second device. */
  openAnother(): Promise<SealedClient>
  readonly room: string
  readonly bot: string
  readonly gateway: TrialGateway
}

async function talkSealed({ ann, openAnother, room, bot, gateway }: Talk): ReturnType<ServerTrial['talk']> {
  const problems: string[] = []
  const done: string[] = []
  const hear = (): Promise<readonly Heard[]> => ann.hear(room, bot)
  const wait = async (what: string, find: (heard: readonly Heard[]) => Heard | undefined): Promise<Heard | undefined> => {
    const since = performance.now()
    for (;;) {
      const found = find(await hear())
      if (found) done.push(`${what} ${((performance.now() - since) / 1000).toFixed(1)} s`)
      else if (performance.now() - since > withinMs) problems.push(`${what}: nothing came within ${withinMs / 1000} s`)
      if (found || performance.now() - since > withinMs) return found
      await pause(250)
    }
  }
  /** Said to its end: a preview ends with a mark. */
  const says = (text: string) => (heard: readonly Heard[]) =>
    heard.find(({ content }) => bodyOf(content).includes(text) && !bodyOf(content).endsWith('▉'))
  const ask = async (what: string, text: string, awaited: string): Promise<Heard | undefined> => {
    await ann.say(room, { body: text })
    return await wait(what, says(awaited))
  }

  await ask('answer', 'run echo first-$((40+2))', 'first-42')
  const keys = await ann.keysOf(bot)
  await ask('edited answer', 'stream 60 tokens every 100 ms', 'offline-60')
  if (!(await hear()).some(({ edits, content }) => edits !== undefined && bodyOf(content).includes('offline-60')))
    problems.push('edited answer: its end is no edit')

  await ann.sayFile(room, 'note.txt', 'words in a file')
  await wait('file from Ann', says('words in a file'))

  await gateway.kill()
  await ann.say(room, { body: 'run echo meanwhile-$((40+3))' })
  await gateway.start()
  await wait('answer after a kill', says('meanwhile-43'))
  if (JSON.stringify(await ann.keysOf(bot)) !== JSON.stringify(keys)) problems.push('the device has other keys after a kill')

  await ask('answer that writes', 'write out.txt: from the agent', 'write_file answered')
  await ann.say(room, { body: 'send it\nMEDIA:out.txt' })
  const file = await wait('file from the agent', (heard) => heard.find(({ content }) => content?.msgtype === 'm.file'))
  if (file?.content && (await ann.open(file.content)) !== 'from the agent') problems.push('file from the agent: it is another one')

  const phone = await openAnother()
  await ask('answer for two devices', 'run echo both-$((40+4))', 'both-44')
  if (!says('both-44')(await phone.hear(room, bot))) problems.push('answer for two devices: the second cannot read it')

  const all = await hear()
  problems.push(...all.filter(({ isSealed }) => !isSealed).map(({ content }) => `said in the clear: ${bodyOf(content)}`))
  problems.push(...all.filter(({ content }) => !content).map(({ id }) => `cannot be opened: ${id}`))
  const twice = ['first-42', 'meanwhile-43'].filter((text) => all.filter((one) => one.edits === undefined && says(text)([one])).length > 1)
  problems.push(...twice.map((text) => `answered twice: ${text}`))
  return { figures: done.join(', '), problems }
}

const bodyOf = (content: Heard['content']): string => String(content?.body ?? '')
