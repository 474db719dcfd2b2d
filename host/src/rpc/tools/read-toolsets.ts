import type { PanelServices } from '#agent/panel-host.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { isSwitchedOn } from '../plugins/switch-plugin.ts'
import { listToolsets } from './list-toolsets.ts'

/** The toolsets of a home: what is on, and why one that is on is of no use. */
export async function readToolsets(
  context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>,
): ReturnType<PanelServices['toolsets']['list']> {
  return listToolsets(await openCatalog(context)).map(({ id, plugin, reason, setUp, tools }) => {
    const enabled = isSwitchedOn(plugin)
    return {
      ...{ id, enabled, description: plugin.installed?.manifest.description ?? '' },
      ...(enabled && reason !== null ? { problem: reason } : {}),
      ...(setUp === undefined ? {} : { setUp }),
      tools: tools.map(({ name, description }) => ({ name, description })),
    }
  })
}
