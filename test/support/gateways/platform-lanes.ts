import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pluginFolders } from '../../repo/plugin-folders.ts'
import { root } from '../../repo/source-files.ts'

/** A real server of a platform and somebody on it who talks with the bot. What they say while it is away reaches nobody. */
export interface PlatformLane extends AsyncDisposable {
  readonly platform: string
  /** What the server says it is. */
  readonly banner: string
  /** The platform's settings below `extra`, and its variables. */
  readonly config: object
  readonly environment: Readonly<Record<string, string>>
  /** Where they talk, as an answer names it. */
  readonly conversation: string
  /** How often the bot has come. */
  connections(): number
  say(text: string): void
  /** What the bot said, in order. */
  heard(): readonly string[]
}

interface LaneModule {
  /** How to get a server that is missing here. */
  readonly lacks: string | undefined
  openLane(): Promise<PlatformLane>
}

/** What is missing on this machine for the lanes of platforms, one sentence for each. */
export async function findMissingServers(): Promise<readonly string[]> {
  return (await loadLanes()).flatMap(({ lacks }) => lacks ?? [])
}

/** One lane for every platform whose folder brings one, in `test/lane.ts`. */
export async function openPlatformLanes(): Promise<readonly PlatformLane[]> {
  return await Promise.all((await loadLanes()).map((module) => module.openLane()))
}

async function loadLanes(): Promise<readonly LaneModule[]> {
  const folders = pluginFolders.filter(({ kind, path }) => kind === 'platforms' && existsSync(join(root, path, 'test', 'lane.ts')))
  // The bundler takes every folder that fits this pattern.
  return await Promise.all(folders.map(async ({ name }) => (await import(`../../../plugins/platforms/${name}/test/lane.ts`)) as LaneModule))
}
