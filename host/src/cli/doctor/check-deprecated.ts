import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { type Installed, manifestName } from '#kernel/installed/manifest-file.ts'
import { type Deprecations, findInManifest, readDeprecations } from '#kernel/kinds.ts'
import { type Finding, fine, warn } from './finding.ts'

const check = 'deprecated'

/** Plugins that a later version of agent will not serve as they are. Nobody else looks: a start has no time for it. */
export async function checkDeprecated(
  installRoot: string,
  { catalog }: { readonly catalog: { readonly plugins: readonly Pick<Listed, 'id' | 'installed'>[] } },
): Promise<readonly Finding[]> {
  const table = await readDeprecations(join(installRoot, 'plugin-sdk'))
  const found = (await Promise.all(catalog.plugins.map((plugin) => examine(plugin, table)))).flat()
  return found.length > 0 ? found : [fine(check, 'no plugin uses what will end')]
}

async function examine({ id, installed }: Pick<Listed, 'id' | 'installed'>, table: Deprecations): Promise<readonly Finding[]> {
  if (installed === undefined) return []
  const manifest: unknown = JSON.parse(await readFile(join(installed.root, manifestName), 'utf8'))
  return findInManifest(manifest, table).map(({ what, since, until }) =>
    warn(check, `${id} uses ${what}, which is deprecated since ${since} and served until ${until}`, fixOf(installed)),
  )
}

function fixOf({ source, root, manifest: { id, docsUrl } }: Installed): string {
  const author = docsUrl === undefined ? 'its author' : `its author (${docsUrl})`
  if (source === 'bundled') return 'agent update'
  if (source === 'installed') return `agent plugins update ${id}; where it is still told then, tell ${author}`
  return `agent plugins check ${root} says what to use instead; tell ${author} where that is not you`
}
