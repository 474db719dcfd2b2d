import { fail, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import { type TriedPlatform, tryPlatform } from '#gateway/setup/try-platform.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

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

/** A platform that the gateway of this home keeps is not connected a second time. */
export function findRunning(home: Home, { id }: PlatformForm): TestedConnection | undefined {
  const status = findInstance(home) && readGatewayState(home)?.platforms.find(({ platform }) => platform === id)
  if (!status) return undefined
  const error = status.error && fromWireError(status.error)
  const ok = status.state === 'connected'
  return { platform: id, ok, by: 'gateway', status, ...(error && { error: { code: error.code, message: error.message } }) }
}

/** What was typed and is not written yet: variables, and keys of `extra`. */
export interface Typed {
  readonly values: Readonly<Record<string, string>>
  readonly extra?: Readonly<Record<string, unknown>>
}

export async function testConnection(context: HomeContext, form: PlatformForm, typed: Typed = { values: {} }): Promise<TestedConnection> {
  try {
    return { platform: form.id, ok: true, by: 'connection', ...(await connectOnce(context, form, typed)) }
  } catch (error) {
    if (!isAgentError(error) || error.code === 'INTERRUPTED') throw error
    return { platform: form.id, ok: false, by: 'connection', error: { code: error.code, message: error.message } }
  }
}

/** Rejects with what is wrong. A credential that the gateway of this home uses has proved itself there. */
export async function connectOnce(context: HomeContext, form: PlatformForm, { values, extra }: Typed): Promise<TriedPlatform> {
  const { installRoot, profile, signal, note } = context
  try {
    return await tryPlatform(
      { installRoot, profile, signal, note, ...applySafeMode(context), values, ...(extra && { extra }), random: Math.random },
      form,
    )
  } catch (error) {
    const { home } = await openCatalog(context)
    const isOurs = isAgentError(error, 'CREDENTIAL_IN_USE') && error.params.pid === findInstance(home)?.pid
    if (!isOurs) throw error
    if (findRunning(home, form)?.ok) return { identity: { id: form.id, name: 'the one that the running gateway uses' }, needsModel: false }
    throw fail('USAGE', { problem: 'The running gateway uses this credential and is not connected by it.', try: 'agent gateway status' })
  }
}

/** What a person reads of it. */
export function describeTested({ label }: PlatformForm, { ok, identity, error, status }: TestedConnection): string {
  if (identity) return `Connected as ${identity.name}.`
  if (ok) return `The running gateway keeps ${label} connected.`
  return error?.message ?? `${label} is ${status?.state ?? 'not connected'} in the running gateway.`
}
