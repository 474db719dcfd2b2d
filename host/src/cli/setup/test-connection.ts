import { fail, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { findForm, listForms, type PlatformForm } from '#gateway/setup/platform-form.ts'
import { type TriedPlatform, tryPlatform } from '#gateway/setup/try-platform.ts'
import type { Cli } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { applySafeMode } from '../home/safe-mode.ts'

/** What a test of a connection found. `gateway`: the one that runs keeps the connection, and this is how it is. */
export interface TestedConnection {
  readonly platform: string
  readonly ok: boolean
  readonly by: 'connection' | 'gateway'
  readonly identity?: TriedPlatform['identity']
  readonly needsModel?: boolean
  readonly status?: LinkStatus
  readonly error?: { readonly code: string; readonly message: string }
}

/** Connects a platform as it is set up, and says as whom or what is wrong. */
export async function testPlatform(cli: Cli, word: string, json: boolean): Promise<void> {
  const { catalog, loaded, home } = await openCatalog(cli)
  const form = findForm(listForms(catalog, loaded.environment), word)
  const found = findRunning(home, form) ?? (await testConnection(cli, form, {}))
  if (!found.ok) cli.exit(1)
  if (json) cli.json(found)
  else if (found.identity) cli.out(`Connected as ${found.identity.name}.`)
  else if (found.ok) cli.out(`The running gateway keeps ${form.label} connected.`)
  else cli.note(found.error?.message ?? `${form.label} is ${found.status?.state ?? 'not connected'} in the running gateway.`)
}

/** A platform that the gateway of this home keeps is not connected a second time. */
function findRunning(home: Home, { id }: PlatformForm): TestedConnection | undefined {
  const status = findInstance(home) && readGatewayState(home)?.platforms.find(({ platform }) => platform === id)
  if (!status) return undefined
  const error = status.error && fromWireError(status.error)
  const ok = status.state === 'connected'
  return { platform: id, ok, by: 'gateway', status, ...(error && { error: { code: error.code, message: error.message } }) }
}

export async function testConnection(cli: Cli, form: PlatformForm, values: Readonly<Record<string, string>>): Promise<TestedConnection> {
  try {
    return { platform: form.id, ok: true, by: 'connection', ...(await connectOnce(cli, form, values)) }
  } catch (error) {
    if (!isAgentError(error) || error.code === 'INTERRUPTED') throw error
    return { platform: form.id, ok: false, by: 'connection', error: { code: error.code, message: error.message } }
  }
}

/** Rejects with what is wrong. A credential that the gateway of this home uses has proved itself there. */
export async function connectOnce(cli: Cli, form: PlatformForm, values: Readonly<Record<string, string>>): Promise<TriedPlatform> {
  const { installRoot, profile, signal, note } = cli
  try {
    return await tryPlatform({ installRoot, profile, signal, note, ...applySafeMode(cli), values, random: Math.random }, form)
  } catch (error) {
    const { home } = await openCatalog(cli)
    const isOurs = isAgentError(error, 'CREDENTIAL_IN_USE') && error.params.pid === findInstance(home)?.pid
    if (!isOurs) throw error
    if (findRunning(home, form)?.ok) return { identity: { id: form.id, name: 'the one that the running gateway uses' }, needsModel: false }
    throw fail('USAGE', { problem: 'The running gateway uses this credential and is not connected by it.', try: 'agent gateway status' })
  }
}
