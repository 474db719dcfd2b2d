import { expect, test } from 'vitest'
import { optionalMethods } from '../../kinds/connection/complete-connection.ts'
import type { Connection } from '../../kinds/platform.ts'
import { manifests } from '../broken/manifest.ts'
import { mailbox } from '../broken/sound-platform.ts'
import { openMailboxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { platformContract } from './platform.ts'
import type { PlatformWorld } from './platform-world.ts'

type Method = (typeof optionalMethods)[number]

/** What the rule of a capability says of a connection that declares it. */
async function tryCapability(name: Method, connection: Partial<Connection> = {}): Promise<string> {
  const [declared] = manifests.platform.contributes.platforms
  if (declared === undefined) throw new Error('The manifest of the tests has no platform.')
  const platforms = [{ ...declared, capabilities: { ...declared.capabilities, [name]: true } }]
  const manifest = { ...manifests.platform, contributes: { ...manifests.platform.contributes, platforms } }
  const entry = mailbox({ connection: () => connection })
  const open = async () => openClone('platform', entry)
  const parts: Partial<PlatformWorld> = { typings: () => 0, marks: () => [], menu: () => [], receiveFile: async () => undefined }
  const world = async (): Promise<PlatformWorld> => ({ ...(await openMailboxWorld()), ...parts })
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

test('an edit without a receipt is told as an edit', async () => {
  expect(
    await tryCapability('edit', { edit: async () => ({ status: 'refused', error: { code: 'PLATFORM_AUTH', params: {} } }) }),
  ).toContain('the receipt of an edit is {"status":"refused"')
})
