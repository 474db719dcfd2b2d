import * as z from 'zod/mini'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { askLive } from '#rpc/plugins/ask-live.ts'
import { describeFix, explainPlugin } from '#rpc/plugins/explain-plugin.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import { describeLive } from '#rpc/plugins/live-row.ts'
import { readMedal } from '#rpc/plugins/read-medal.ts'
import { isSwitchedOn, switchPlugin } from '#rpc/plugins/switch-plugin.ts'
import type { Changed, PluginList, PluginRow, PluginWhy } from '../api.ts'
import { nothing, type Router } from '../server/router.ts'

/** What is installed, and whether it runs. */
export function addPlugins(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/plugins', takes: nothing },
    answer: async ({ context }): Promise<PluginList> => ({ plugins: (await openCatalog(context)).catalog.plugins.map(toRow) }),
  })
  router.add({
    ...{ method: 'PUT', url: '/api/plugins/:id/enabled', takes: z.strictObject({ enabled: z.boolean() }) },
    answer: async ({ context, id, input: { enabled } }): Promise<Changed> => {
      const { said, live } = await switchPlugin(context, id, enabled ? 'on' : 'off')
      return { said, live }
    },
  })
  router.add({
    ...{ method: 'GET', url: '/api/plugins/:id/why', takes: nothing },
    answer: async ({ context, id }): Promise<PluginWhy> => {
      const { home, catalog } = await openCatalog(context)
      const plugin = findPlugin(catalog, id)
      const row = (await askLive(home, context.signal))?.find((each) => each.id === plugin.id)
      const live = row ? describeLive(row).map(([name, value]) => `${name}: ${value}`) : []
      return { lines: [...explainPlugin(plugin), ...describeFix(plugin), ...live] }
    },
  })
}

function toRow(plugin: Listed): PluginRow {
  const { id, name, version, source, state, reason, contributions, installed } = plugin
  const medal = readMedal(plugin)
  return {
    ...{ id, name, version, state, bundled: source === 'bundled', enabled: isSwitchedOn(plugin) },
    ...(reason ? { reason: reason.text } : {}),
    ...(medal === undefined ? {} : { medal }),
    description: installed?.manifest.description ?? '',
    contributes: contributions.map((each) => ({ kind: each.kind, id: each.id, name: each.id })),
    permissions: Object.entries(installed?.manifest.permissions ?? {}).flatMap(([what, permission]) =>
      permission === undefined ? [] : [`${what} (${permission.reason})`],
    ),
  }
}
