import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pluginFolders } from '../repo/plugin-folders.ts'
import { root } from '../repo/source-files.ts'

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
  openLane(): Promise<PlatformLane>
}

/** One lane for every platform whose folder brings one, in `src/testing/lane.ts`. */
export async function openPlatformLanes(): Promise<readonly PlatformLane[]> {
  const folders = pluginFolders.filter(
    ({ kind, path }) => kind === 'platforms' && existsSync(join(root, path, 'src', 'testing', 'lane.ts')),
  )
  return await Promise.all(
    folders.map(async ({ name }) => {
      // The bundler takes every folder that fits this pattern.
      const module = (await import(`../../plugins/platforms/${name}/src/testing/lane.ts`)) as LaneModule
      return await module.openLane()
    }),
  )
}
