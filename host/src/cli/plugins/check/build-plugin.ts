import { resolve } from 'node:path'
import type { Cli } from '../../console/cli.ts'
import { loadKit } from './load-kit.ts'

/** Writes the manifest and the bundles of a plugin. */
export async function buildPlugin(cli: Cli, folder: string, { json }: { readonly json?: true }): Promise<void> {
  const dir = resolve(cli.cwd, folder)
  const { manifest, changed, outputs, untried, notices = [] } = await (await loadKit(cli.installRoot)).buildPlugin({ dir, types: true })
  if (untried !== undefined) cli.note(`Note: ${untried}.`)
  for (const notice of notices) cli.note(`Note: ${notice}`)
  if (json) return cli.json({ plugin: manifest.id, version: manifest.version, dir, changed, outputs, notices })
  cli.out(`${manifest.id} ${manifest.version}: ${outputs.length === 0 ? 'the manifest is valid' : outputs.join(', ')}`)
}
