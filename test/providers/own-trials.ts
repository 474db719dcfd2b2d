import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, manifestSchema, type Provider, type ProviderManifest } from '@agent/plugin-sdk'

/** A provider with its own code, opened for a server of a test that speaks `protocol`. */
export interface OwnTrial {
  readonly protocol: 'openai-chat' | 'anthropic-messages'
  /** The name under which it offers a model of the server. */
  model(name: string): string
  open(url: string, key: string, models: readonly string[]): Promise<OwnEntry>
}

interface OwnEntry {
  readonly entry: Provider<never>
  readonly config: unknown
  readonly secrets: Readonly<Record<string, string>>
}

export interface OwnProvider {
  readonly spec: ProviderManifest
  readonly manifest: Manifest
  readonly trial: OwnTrial
}

/** The providers with their own code whose folder says in test/trial.ts how they are tried. */
export async function ownProviders(root: string): Promise<readonly OwnProvider[]> {
  const folder = join(root, 'plugins', 'providers')
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'test', 'trial.ts')))
  const found = names.map(async (name) => {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, name, 'agent.plugin.json'), 'utf8')))
    const spec = manifest.contributes.providers[0]
    // Written so that a bundle of this file finds them too.
    const { trials }: { trials: readonly OwnTrial[] } = await import(`../../plugins/providers/${name}/test/trial.ts`)
    return spec ? trials.map((trial) => ({ spec, manifest, trial })) : []
  })
  return (await Promise.all(found)).flat()
}
