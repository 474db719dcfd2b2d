import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandSandbox, CommandWish, PreparedCommand } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { listHomes } from '#config/home/profiles.ts'
import { requireHostVerb } from '#kernel/activation/plugin-context.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { isolationOf } from '#kernel/isolation/permission-set.ts'
import type { OpenCommandSandbox } from '#kernel/sandbox/command-sandbox.ts'
import type { Sandbox } from '#kernel/sandbox/sandbox.ts'

export interface CommandSandboxSource {
  readonly home: Home
  readonly loaded: Loaded
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Homes beside this one and the usual one that no command sees. */
  readonly otherHomes?: readonly string[] | undefined
  readonly sandbox: Sandbox
  /** Whether plugins of others run in children. */
  readonly hasChildren: boolean
}

export interface CommandSandboxes {
  /** The sandbox for the programs of one toolset. */
  of(contribution: Contribution): CommandSandbox
  /** The sandbox for what the host starts itself. */
  own(): Pick<CommandSandbox, 'prepare'>
  close(): Promise<void>
}

/** The sandbox for programs of tools; loaded with the first of them. */
export function openCommandSandboxes(source: CommandSandboxSource): CommandSandboxes {
  const { loaded, sandbox, hasChildren } = source
  let opened: Promise<OpenCommandSandbox> | undefined
  const used = (): Promise<OpenCommandSandbox> => {
    opened ??= openOne(source)
    return opened
  }
  const isInOne = async ({ plugin }: Contribution): Promise<boolean> =>
    hasChildren && isolationOf(plugin, loaded.config.plugins) === 'bwrap' && (await sandbox.level()).works
  return {
    of: (contribution) => ({
      prepare: async (wish) => {
        requireHostVerb(contribution, 'sandbox')
        return (await isInOne(contribution)) ? stayInside(wish, loaded.environment.forChildren()) : (await used()).prepare(wish)
      },
      explain: async (ended) => {
        requireHostVerb(contribution, 'sandbox')
        return (await isInOne(contribution)) ? undefined : (await used()).explain(ended)
      },
    }),
    own: () => ({ prepare: async (wish) => (await used()).prepare(wish) }),
    close: async () => (await opened)?.close(),
  }
}

/** What a plugin in a sandbox starts is in that sandbox already, which is tighter and cannot be left. */
function stayInside({ argv: [file = '', ...args], outside }: CommandWish, environment: PreparedCommand['environment']): PreparedCommand {
  if (outside) throw fail('UNSUPPORTED', { what: 'programs outside of it', by: 'The sandbox of a plugin' })
  return { file, args, environment, contained: true, infoPipe: null }
}

async function openOne({ home, loaded, environment, sandbox, otherHomes = [] }: CommandSandboxSource): Promise<OpenCommandSandbox> {
  const { createCommandSandbox } = await import('#kernel/sandbox/command-sandbox.ts')
  return createCommandSandbox({
    level: sandbox.level,
    settings: () => loaded.config.terminal,
    environment: () => loaded.environment.forChildren(),
    userHome: homedir(),
    homes: () => [...listHomes(home, environment), ...otherHomes],
    // Instructions name the scripts beside them.
    readable: [home.files.skills],
    cache: join(home.files.cache, 'sandbox'),
    temporary: tmpdir(),
  })
}
