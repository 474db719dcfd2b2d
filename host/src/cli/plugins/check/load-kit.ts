import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Kit from '@agent/plugin-sdk/testing'
import { importFile } from '#kernel/import-file.ts'

/** Builder and conformance kit of the SDK that belongs to the running program; they come from its folder, not from the bundle of the program. */
export async function loadKit(installRoot: string): Promise<typeof Kit> {
  const file = pathToFileURL(join(installRoot, 'plugin-sdk', 'bin', 'load-build.mjs')).href
  const { loadKit: load } = (await importFile(file)) as { loadKit(): Promise<typeof Kit> }
  return await load()
}
