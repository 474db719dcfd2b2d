import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleHost, bundleSdk, bundleWeb } from './bundle.mjs'
import { during } from './say.mjs'
import { isFresh, listTargets, stampName } from './targets.mjs'
import { Trouble } from './trouble.mjs'

export const listStale = (root) => listTargets(root).filter((target) => !isFresh(target))

/** Builds what is stale, all at once, and answers the names; one part that fails does not keep the others from being built. */
export async function buildStale(stale) {
  if (stale.length === 0) return []
  const names = stale.map((target) => target.name)
  await during(`Building ${names.length > 4 ? `${names.length} parts` : names.join(', ')}`, async () => {
    const opened = stale.some((target) => target.kind === 'plugin') ? openPluginBuilder() : undefined
    const results = await Promise.allSettled(stale.map((target) => buildOne(target, opened)))
    const failures = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    if (failures.length > 0) throw new Trouble(failures.map((failure) => failure.message).join('\n\n'), { cause: failures[0] })
  })
  // The bundler's process would stay beside the gateway that starts next, and that a signal to both of them ends it would count as a fault.
  await (await import('esbuild')).stop()
  return names
}

async function buildOne({ kind, name, folder, stamp }, opened) {
  try {
    const outputs = await builders[kind](folder, opened)
    mkdirSync(join(folder, 'dist'), { recursive: true })
    writeFileSync(join(folder, 'dist', stampName), `${JSON.stringify({ stamp, outputs })}\n`)
  } catch (error) {
    throw new Trouble(`Building ${name} failed:\n${error.message}`, { cause: error })
  }
}

const builders = {
  sdk: (folder) => bundleSdk(folder),
  host: (folder) => bundleHost(folder),
  web: (folder) => bundleWeb(folder),
  plugin: async (folder, opened) => {
    const { buildPlugin } = await opened
    // What comes with the program is no stranger's code: its maps would make the package larger, and nobody would read them.
    return (await buildPlugin({ dir: folder, maps: false })).outputs
  },
}

/** The SDK's own builder, from its sources; loaded late, because it needs esbuild to be installed. */
export async function openPluginBuilder() {
  const { loadBuild } = await import('../../plugin-sdk/bin/load-build.mjs')
  return loadBuild()
}
