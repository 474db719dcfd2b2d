import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Door, ToldConnection } from '../egress/door.ts'
import type { IsOwnDoor } from '../egress/own-doors.ts'
import { connectionMessage } from '../egress/tell-request.ts'
import type { Installed } from '../installed/manifest-file.ts'
import type { PermissionSet } from '../isolation/permission-set.ts'
import { because } from '../reasons.ts'
import { hiddenOf } from '../sandbox/hidden-paths.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { WorkingSandbox } from '../sandbox/sandbox-level.ts'
import { type ChildCommand, formatChildCommand, isDirect } from './child-command.ts'

export interface PrepareChildOptions {
  /** The child program, built. */
  readonly program: string
  /** Folder of the plugins' own folders: `<home>/plugins/data`. */
  readonly data: string
  /** Where what is remembered lies, for providers that keep files of it. */
  readonly memories: string
  readonly workspace: string
  /** Homes of the agent, of every profile, which no sandbox shows. */
  readonly homes: () => readonly string[]
  /** Of the person, whose keys no plugin sees that does not declare them by name. */
  readonly userHome: string
  readonly sandbox: Sandbox
  readonly isOwnDoor?: IsOwnDoor | undefined
  readonly clock: Clock
  readonly log?: Pick<Log, 'debug'>
  readonly node?: string
  readonly flags?: Pick<ReadonlySet<string>, 'has'>
}

/** What a child needs to be started. */
export interface PreparedChild {
  readonly command: ChildCommand
  readonly cwd: string
  /** What it leaves behind; after its end. */
  close(): Promise<void>
}

/** Makes the folders of the plugins of a child, finds its sandbox and opens its door. */
export async function prepareChild(
  options: PrepareChildOptions,
  set: PermissionSet,
  plugins: readonly Installed[],
): Promise<PreparedChild> {
  const ids = plugins.map(({ manifest }) => manifest.id)
  const sandbox = await findSandbox(options, set, ids)
  const own = ids.map((id) => makeFolder(join(options.data, id)))
  const cwd = own.length === 1 ? (own[0] ?? options.data) : realpathSync(options.data)
  const data = set.keepsMemories ? [...own, makeFolder(options.memories)] : own
  const roots = plugins.map(({ root }) => realpathSync(root))
  const door = sandbox && (await openOwnDoor(options, set, ids))
  const command = formatChildCommand({
    set,
    places: { program: options.program, roots, data, workspace: options.workspace, cwd },
    node: options.node ?? process.execPath,
    flags: options.flags ?? process.allowedNodeEnvironmentFlags,
    ...{
      sandbox,
      door: door?.folder,
      homes: options.homes(),
      secrets: hiddenOf(options.userHome),
    },
  })
  return { command, cwd, close: async () => door?.close() }
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return realpathSync(folder)
}

async function findSandbox(
  { sandbox }: PrepareChildOptions,
  set: PermissionSet,
  ids: readonly string[],
): Promise<WorkingSandbox | undefined> {
  if (set.isolation !== 'bwrap') return undefined
  const level = await sandbox.level()
  if (level.works && level.kind === 'bwrap') return level
  if (!set.required) return undefined
  const plugin = ids.join(', ')
  throw fail('PLUGIN_BLOCKED', {
    plugin,
    reason: because('sandbox-missing', { plugin }).text,
    fix: because('sandbox-missing', { plugin: ids[0] ?? '' }).fix,
  })
}

/** A child that declares no network has no door: nobody is there to ask. */
async function openOwnDoor(
  { clock, isOwnDoor, log }: PrepareChildOptions,
  set: PermissionSet,
  plugins: readonly string[],
): Promise<Door | undefined> {
  const net = set.permissions.net?.value ?? 'none'
  if (net === 'none' || net.length === 0 || isDirect(set)) return undefined
  const { openDoor } = await import('../egress/door.ts')
  const onConnection = (told: ToldConnection): void => log?.debug(connectionMessage, { ...told, plugin: plugins.join(', ') })
  return openDoor({ plugins, net, clock, isOwnDoor, onConnection })
}
