import { openCatalog } from '#rpc/home/open-catalog.ts'
import type { PanelList } from '../api.ts'
import { nothing, type Router } from '../server/router.ts'

/** Pages of plugins that run, from their manifests alone. */
export function addPanels(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/panels', takes: nothing },
    answer: async ({ context }): Promise<PanelList> => {
      const { catalog } = await openCatalog(context)
      const panels = catalog.of('panel').map(({ id, plugin, spec: { label, group, methods, pages } }) => ({
        ...{ id, name: label, plugin: plugin.manifest.id, group, pages },
        inputs: Object.fromEntries(methods.flatMap(({ name, input }) => (input === undefined ? [] : [[name, input]]))),
      }))
      return { panels } as PanelList
    },
  })
}
