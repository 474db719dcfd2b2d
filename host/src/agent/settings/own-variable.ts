import { fail } from '@agent/plugin-sdk/errors'
import { isVariableOfAgent } from '#config/environment/variables.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { Installed } from '#kernel/installed/manifest-file.ts'

/** Throws unless a plugin of others may write a variable: a secret of its manifest that neither the agent nor another plugin reads. */
export function requireOwnVariable({ manifest, source }: Installed, name: string, { plugins }: Pick<Catalog, 'plugins'>): void {
  if (source === 'bundled') return
  const { id } = manifest
  const reader = plugins.find((each) => each.id !== id && each.installed?.manifest.env.some((variable) => variable.name === name))
  const isSecret = manifest.env.some((each) => each.name === name && each.secret)
  const why = isVariableOfAgent(name)
    ? 'it belongs to the agent'
    : reader
      ? `${reader.id} reads it too`
      : isSecret
        ? undefined
        : 'its manifest calls it no secret'
  if (why !== undefined) throw fail('UNSUPPORTED', { what: `writing the variable ${name}, since ${why}`, by: `For ${id} the agent` })
}
