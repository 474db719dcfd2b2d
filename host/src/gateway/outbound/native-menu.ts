import type { Clock, CompleteConnection, Log, PlatformManifest } from '@agent/plugin-sdk'
import { offeredCommands } from '#commands/slash-table.ts'
import { callWithin } from '#kernel/calls/call.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'

export interface MenuOptions {
  readonly catalog: Pick<Catalog, 'of'>
  readonly spec: Pick<PlatformManifest, 'id' | 'capabilities'>
  readonly connection: CompleteConnection | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const deadline = 30_000

/** Shows the commands of the gateway in the platform's own menu, where it has one. Never rejects. */
export async function showMenu({ catalog, spec, connection, clock, log, signal }: MenuOptions): Promise<void> {
  if (!spec.capabilities.setCommands || !connection) return
  // What only admins may do is no offer to everybody.
  const commands = offeredCommands(catalog, 'gateway').filter(({ adminOnly }) => !adminOnly)
  const menu = commands.map(({ name, summary, args }) => ({ name, summary, args }))
  const bounds = { clock, signal, deadline, what: `Showing the commands on ${spec.id}` }
  try {
    await callWithin(bounds, (call) => connection.setCommands(menu, call))
  } catch (error) {
    log.warn('the menu of a platform could not be set', { platform: spec.id, error: String(error) })
  }
}
