import { expect, test } from 'vitest'
import type { Receipt } from '../../contract/messages.ts'
import { optionalMethods } from '../../kinds/connection/complete-connection.ts'
import type { Connection } from '../../kinds/platform.ts'
import { manifests } from '../broken/manifest.ts'
import { mailbox } from '../broken/sound-platform.ts'
import { openMailboxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { platformContract } from './platform.ts'
import type { PlatformWorld } from './platform-world.ts'

type Change = (sound: Connection) => Partial<Connection>

/** What the rule of a capability says of a connection that declares it. */
async function tryCapability(
  name: (typeof optionalMethods)[number] | 'idempotentSend',
  connection: Change = () => ({}),
  more: Partial<PlatformWorld> = {},
): Promise<string> {
  const [declared] = manifests.platform.contributes.platforms
  if (declared === undefined) throw new Error('The manifest of the tests has no platform.')
  const platforms = [{ ...declared, capabilities: { ...declared.capabilities, [name]: true } }]
  const manifest = { ...manifests.platform, contributes: { ...manifests.platform.contributes, platforms } }
  const entry = mailbox({ connection })
  const open = async () => openClone('platform', entry)
  const parts: Partial<PlatformWorld> = {
    typings: () => 0,
    isTyping: () => false,
    marks: () => [],
    menu: () => [],
    receiveFile: async () => undefined,
    loseReceipt: () => undefined,
  }
  const world = async (): Promise<PlatformWorld> => ({ ...(await openMailboxWorld()), ...parts, ...more })
  const cases = platformContract({
    subject: { kind: 'platform', manifest, contribution: 'mailbox', place: 'clone', open },
    patienceMs: 500,
    world,
  })
  return await (cases.find(({ rule }) => rule === name)?.run() ?? Promise.resolve()).then(
    () => '',
    (error: Error) => error.message,
  )
}

test.each(optionalMethods)('%s that is declared without its method is told as that', async (name) => {
  expect(await tryCapability(name)).toContain(`it declares ${name} and has no such method`)
})

test('what people see of typing has to be there before it ends, and not after', async () => {
  const said: boolean[] = []
  const seen = { typings: () => said.length, isTyping: () => said.at(-1) === true }
  const says = (typing: boolean, end: boolean): Change => {
    return () => ({ typing: async () => void said.push(typing), endTyping: async () => void said.push(end) })
  }
  expect(await tryCapability('endTyping', says(true, false), seen)).toBe('')
  expect(await tryCapability('endTyping', says(false, false), seen)).toContain('the world does not see that the bot is writing')
  expect(await tryCapability('endTyping', says(true, true), seen)).toContain('people go on seeing that the bot is writing')
})

test('an edit without a receipt is told as an edit', async () => {
  expect(
    await tryCapability('edit', () => ({ edit: async () => ({ status: 'refused', error: { code: 'PLATFORM_AUTH', params: {} } }) })),
  ).toContain('the receipt of an edit is {"status":"refused"')
})

/** Finds by what it has sent itself; who asks a new connection gets `later`. */
const finding =
  (never: Receipt | null, later: Receipt | null): Change =>
  ({ send }) => {
    const found = new Map<string, Receipt>()
    return {
      send: async (message, call) => {
        const receipt: Receipt = (await send?.(message, call)) ?? { status: 'sent', platformId: '1' }
        found.set(message.key, receipt)
        return receipt
      },
      findSent: async ({ key }) => {
        const known = found.get(key)
        if (known) return known
        return key === 'key-never' ? never : later
      },
    }
  }

test('a message is found by the connection that comes after too, and one that was never sent by none', async () => {
  const sent: Receipt = { status: 'sent', platformId: '1' }
  expect(await tryCapability('findSent', finding(null, sent))).toBe('')
  expect(await tryCapability('findSent', finding(sent, sent))).toContain('a message that was never sent is told as sent')
  expect(await tryCapability('findSent', finding(null, null))).toContain('is told to the next connection as one that did not')
})

/** Sends each key once, as far as `keys` reaches. */
const onceBy =
  (openKeys: () => Set<string>): Change =>
  ({ send }) => {
    const keys = openKeys()
    return {
      send: async (message, call) => {
        const receipt = keys.has(message.key) ? undefined : await send?.(message, call)
        keys.add(message.key)
        return receipt ?? { status: 'sent', platformId: '1' }
      },
    }
  }

test('one key makes one message, on the connection that comes after too', async () => {
  const kept = new Set<string>()
  expect(
    await tryCapability(
      'idempotentSend',
      onceBy(() => kept),
    ),
  ).toBe('')
  expect(
    await tryCapability(
      'idempotentSend',
      onceBy(() => new Set()),
    ),
  ).toContain('one key made two messages')
})
