import type { Config } from '#config/schema/schema.ts'
import { type Catalog, listedOf } from '#kernel/catalog/catalog.ts'
import { describeBlocked, isFault } from '#rpc/plugins/describe-plugin.ts'

/** A line for each platform that somebody has switched on and that does not run. */
export function listBlockedPlatforms(catalog: Pick<Catalog, 'plugins'>, config: Pick<Config, 'plugins' | 'platforms'>): readonly string[] {
  return listedOf(catalog, 'platform').flatMap(({ plugin, id, reason }) => {
    if (reason === undefined) return []
    // What came with agent waits for its variables until somebody wants it.
    const isWanted =
      plugin.source !== 'bundled' || config.plugins.entries[plugin.id]?.enabled === true || config.platforms[id]?.enabled === true
    return isFault(reason) || (isWanted && reason.code === 'env-missing') ? [describeBlocked(id, reason)] : []
  })
}
