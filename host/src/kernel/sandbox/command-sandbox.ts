import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandSandbox, CommandWish, PreparedCommand } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { listLeftFolders } from '../left-folders.ts'
import { formatBwrapArguments, infoPipe } from './bwrap-arguments.ts'
import { explainStop } from './explain-stop.ts'
import { describeSandbox, type SandboxLevel, type WorkingSandbox } from './sandbox-level.ts'
import { planSandbox, type SandboxPlan } from './sandbox-plan.ts'
import { formatSeatbeltProfile } from './seatbelt-profile.ts'

export interface CommandSandboxOptions {
  readonly level: () => Promise<SandboxLevel>
  readonly settings: () => CommandSettings
  /** Of the user, without secrets. */
  readonly environment: () => Readonly<Record<string, string>>
  readonly userHome: string
  /** The homes of the agent, of every profile. */
  readonly homes: () => readonly string[]
  /** Folders in one of them that programs may read. */
  readonly readable?: readonly string[]
  /** Where programs in the sandbox keep what they have loaded. */
  readonly cache: string
  /** Where temporary folders are made. */
  readonly temporary: string
}

/** The section `terminal` of the settings, as far as it concerns the sandbox. */
export interface CommandSettings {
  readonly sandbox: 'auto' | 'required' | 'off'
  readonly network: 'on' | 'off'
  readonly writable: readonly string[]
  readonly hidden: readonly string[]
}

export interface OpenCommandSandbox extends CommandSandbox {
  /** Removes the temporary folders. */
  close(): Promise<void>
}

/** More conversations lose the temporary folder of the oldest. */
const mostFolders = 200
/** They lead to services of the user outside. */
const doors = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'XAUTHORITY',
  'WAYLAND_DISPLAY',
]

/** Says how a program is started so that it sees and changes only what the settings allow. */
export function createCommandSandbox(options: CommandSandboxOptions): OpenCommandSandbox {
  const folders = createFolders(options.temporary)
  const planFor = ({ session, workspace }: Pick<CommandWish, 'session' | 'workspace'>): SandboxPlan => {
    const { network, writable, hidden } = options.settings()
    mkdirSync(options.cache, { recursive: true, mode: 0o700 })
    return planSandbox({
      ...{ workspace, userHome: options.userHome, temporary: folders.of(session), network: network === 'on' },
      ...{ hidden: [...options.homes(), folders.root()], writable: [options.cache], alsoHidden: hidden, alsoWritable: writable },
      readable: options.readable ?? [],
    })
  }
  return {
    async prepare(wish) {
      const [file = '', ...args] = wish.argv
      const environment = options.environment()
      const level = await levelFor(options, wish)
      if (level === undefined) return { file, args, environment, contained: false, infoPipe: null }
      return contain(options, level, planFor(wish), wish.argv, folders.empty())
    },
    explain: async (ended) => explainStop(planFor(ended), options.userHome, ended),
    close: folders.close,
  }
}

/** Nothing where the program runs without a sandbox. */
async function levelFor({ settings, level }: CommandSandboxOptions, { outside }: CommandWish): Promise<WorkingSandbox | undefined> {
  const { sandbox } = settings()
  if (outside || sandbox === 'off') return undefined
  const found = await level()
  if (found.works) return found
  if (sandbox === 'required') throw fail('SANDBOX_MISSING', { problem: describeSandbox(found, sandbox) })
  return undefined
}

function contain(
  { environment, userHome, cache }: CommandSandboxOptions,
  { kind, program, flags }: WorkingSandbox,
  plan: SandboxPlan,
  argv: readonly string[],
  empty: string,
): PreparedCommand {
  const kept = Object.entries(environment()).filter(([name]) => !doors.includes(name))
  const isBwrap = kind === 'bwrap'
  return {
    file: program,
    args: isBwrap ? [...formatBwrapArguments({ plan, flags, empty }), '--', ...argv] : ['-p', formatSeatbeltProfile(plan), ...argv],
    environment: {
      HOME: userHome,
      // Root without its powers cannot give files to others, and tar would fail.
      ...(isBwrap && process.getuid?.() === 0 ? { TAR_OPTIONS: '--no-same-owner' } : {}),
      ...Object.fromEntries(kept),
      TMPDIR: isBwrap ? '/tmp' : plan.temporary,
      // In the user's own caches a command could leave something that runs outside later.
      ...{ XDG_CACHE_HOME: cache, npm_config_cache: join(cache, 'npm'), PIP_CACHE_DIR: join(cache, 'pip') },
    },
    contained: true,
    infoPipe: isBwrap ? infoPipe : null,
  }
}

const prefix = 'agent-sandbox-'
const dayMs = 86_400_000

/** What an agent left that was killed. Within a day it may be in use by one whose number is not known here, as in a container beside this one. */
function removeLeft(temporary: string, now: number): void {
  const isOld = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - dayMs
  for (const path of listLeftFolders(temporary, prefix).map((name) => join(temporary, name)))
    if (isOld(path)) void rm(path, { recursive: true, force: true }).catch(() => undefined)
}

/** A temporary folder for each session, and an empty file; made when they are needed. */
function createFolders(temporary: string) {
  const known = new Map<string, string>()
  let made: string | undefined
  const root = (): string => {
    if (made === undefined) {
      made = mkdtempSync(join(temporary, `${prefix}${process.pid}-`))
      removeLeft(temporary, statSync(made).mtimeMs)
      writeFileSync(join(made, 'empty'), '', { mode: 0o400 })
    }
    return made
  }
  return {
    root,
    empty: () => join(root(), 'empty'),
    of(session: string): string {
      const folder = known.get(session) ?? join(root(), createHash('sha256').update(session).digest('hex').slice(0, 16))
      known.delete(session)
      known.set(session, folder)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const [oldest] = known
      if (known.size > mostFolders && oldest) {
        known.delete(oldest[0])
        void rm(oldest[1], { recursive: true, force: true }).catch(() => undefined)
      }
      return folder
    },
    async close() {
      // A program that is just ending may write its last file meanwhile.
      if (made !== undefined) await rm(made, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    },
  }
}
