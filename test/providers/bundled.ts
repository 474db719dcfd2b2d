import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type ProviderManifest } from '@agent/plugin-sdk'

/** The providers that come with agent and speak a protocol of the host. */
export function bundledProviders(root: string): readonly ProviderManifest[] {
  const folder = join(root, 'plugins', 'providers')
  return readdirSync(folder)
    .sort()
    .flatMap(
      (name) => manifestSchema.parse(JSON.parse(readFileSync(join(folder, name, 'agent.plugin.json'), 'utf8'))).contributes.providers,
    )
    .filter(({ protocol }) => protocol !== undefined)
}
