import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProviderManifest } from '@agent/plugin-sdk'
import type { Loaded } from '#config/file/loaded.ts'
import type { AnyContribution } from '#kernel/catalog/catalog.ts'
import { hostRow } from '#kernel/catalog/kind-rows.ts'
import { fileOf } from '#kernel/installed/manifest-file.ts'
import { isolationOf } from '#kernel/isolation/permission-set.ts'
import { isConfigured } from '#models/request/endpoint.ts'

/** Two texts that are equal where a contribution would run just as it does. */
export interface Fingerprint {
  /** What it is made of: for what runs in this process it never changes. */
  readonly code: string
  /** What it is given. */
  readonly whole: string
}

export function fingerprint(
  contribution: AnyContribution,
  { config, environment, loggedIn }: Pick<Loaded, 'config' | 'environment' | 'loggedIn'>,
  entry: string,
): Fingerprint {
  const { kind, plugin, spec, settings } = contribution
  const { manifest, root } = plugin
  const { enabled: _enabled, ...wishes } = config.plugins.entries[manifest.id] ?? {}
  const isolation = isolationOf(plugin, config.plugins)
  const variables = manifest.env.map(({ name }) => [name, environment.has(name) ? environment.get(name) : null])
  const code = digest([manifest.version, root, spec, entry])
  const { reads } = hostRow(kind)
  const aliases = 'aliases' in spec ? spec.aliases : []
  const block =
    reads === undefined ? null : [loggedIn.has(contribution.id), ownModelSettings(config.model, { id: contribution.id, aliases })]
  return { code, whole: digest([code, isolation, wishes, settings.value ?? null, settings.block ?? null, variables, block]) }
}

/** Address and key belong to one provider; which one answers is asked at each turn, and changes none. */
function ownModelSettings(model: Loaded['config']['model'], names: Pick<ProviderManifest, 'id' | 'aliases'>): unknown {
  const { base_url: address, api_key: key } = model
  return (address || key) && isConfigured(model, names) ? [address, key] : null
}

/** Only the folder of a link changes under its name: what is installed has a folder for each version. */
export function hashEntry(contribution: AnyContribution): string {
  const { plugin } = contribution
  const file = fileOf(contribution)
  if (plugin.source !== 'link' || file === undefined) return ''
  try {
    return createHash('sha256')
      .update(readFileSync(join(plugin.root, file)))
      .digest('hex')
  } catch {
    // It is being built, or missing: loading it tells.
    return 'unreadable'
  }
}

// Secrets are among it, so nothing is kept but a hash.
function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
