import type { Config } from '#config/schema.ts'
import type { Catalog } from '#kernel/catalog.ts'
import { describeBlocked, isFault } from '../plugins/describe-plugin.ts'

/** A line for each platform that somebody has switched on and that does not run. */
export function listBlockedPlatforms(
  { plugins }: Pick<Catalog, 'plugins'>,
  config: Pick<Config, 'plugins' | 'platforms'>,
): readonly string[] {
  return plugins.flatMap((plugin) =>
    plugin.contributions.flatMap(({ kind, id, reason }) => {
      if (kind !== 'platform' || reason === undefined) return []
      // What came with agent waits for its variables until somebody wants it.
      const isWanted =
        plugin.source !== 'bundled' || config.plugins.entries[plugin.id]?.enabled === true || config.platforms[id]?.enabled === true
      return isFault(reason) || (isWanted && reason.code === 'env-missing') ? [describeBlocked(id, reason)] : []
    }),
  )
}
