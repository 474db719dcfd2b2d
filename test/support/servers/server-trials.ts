import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pluginFolders } from '../../repo/plugin-folders.ts'
import { root } from '../../repo/source-files.ts'
import type { DebianTree } from './debian-tree.ts'

/** A real server as its owner finds it after installing it, and somebody on it. */
export interface ServerTrial extends AsyncDisposable {
  /** What is tried, in a few words. */
  readonly what: string
  /** The platform's settings below `extra`, and its variables. */
  readonly config: object
  readonly environment: Readonly<Record<string, string>>
  /** Talks with the agent once it is there. Answers what was measured, and what was wrong. */
  talk(gateway: TrialGateway): Promise<{ readonly figures: string; readonly problems: readonly string[] }>
}

/** The gateway that a trial talks with. */
export interface TrialGateway {
  /** Kills it; resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it once more; resolves when it is connected. */
  start(): Promise<void>
}

/** What `test/server.ts` in the folder of a platform gives. */
interface TrialModule {
  /** The server in Debian. */
  readonly debianPackage: string
  readonly serverTrials: readonly ((tree: DebianTree) => Promise<ServerTrial>)[]
}

/** The platforms whose folders bring a trial. */
export async function findServerTrials(): Promise<readonly (TrialModule & { readonly platform: string })[]> {
  const folders = pluginFolders.filter(({ kind, path }) => kind === 'platforms' && existsSync(join(root, path, 'test', 'server.ts')))
  // The bundler takes every folder that fits this pattern.
  return await Promise.all(
    folders.map(async ({ name }) => ({
      platform: name,
      ...((await import(`../../../plugins/platforms/${name}/test/server.ts`)) as TrialModule),
    })),
  )
}
