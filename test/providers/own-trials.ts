import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, type ModelErrorClass, manifestSchema, type Provider, type ProviderManifest } from '@agent/plugin-sdk'
import type { Ability } from './abilities.ts'

/** A provider with its own code, opened for a server of a test that speaks `protocol`. */
export interface OwnTrial {
  readonly protocol: NonNullable<ProviderManifest['protocol']>
  /** Which provider of its manifest it is; absent: the first. */
  readonly provider?: string
  /** What there is no such thing of. */
  readonly lacks?: readonly Ability[]
  /** The only errors that it can tell apart. */
  readonly classes?: readonly ModelErrorClass[]
  /** Arguments of calls come as a whole, or not at all. */
  readonly wholeArguments?: true
  /** A program of this machine answers. */
  readonly startsProgram?: true
  /** A model that the server has. */
  readonly offers?: string
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
    const { providers } = manifest.contributes
    // Written so that a bundle of this file finds them too.
    const { trials }: { trials: readonly OwnTrial[] } = await import(`../../plugins/providers/${name}/test/trial.ts`)
    return trials.flatMap((trial) => {
      const spec = providers.find(({ id }) => id === (trial.provider ?? providers[0]?.id))
      return spec ? [{ spec, manifest, trial }] : []
    })
  })
  return (await Promise.all(found)).flat()
}
