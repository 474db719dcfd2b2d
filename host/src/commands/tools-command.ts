import { fail } from '@agent/plugin-sdk/errors'
import { type Catalog, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { sayRows } from './say-rows.ts'
import type { SlashCommand, SlashDoor } from './slash.ts'

export const toolsCommand: SlashCommand = {
  name: 'tools',
  aliases: [],
  args: '[list|enable|disable] [toolset]',
  summary: 'List the tools, or switch a toolset for new sessions',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) => {
    const [verb = 'list', name = ''] = args.split(/\s+/).filter(Boolean)
    if (verb === 'list') return listTools(door, services.catalog)
    if (verb !== 'enable' && verb !== 'disable') return door.say('/tools takes list, enable or disable.')
    const plugin = findToolset(services.catalog, name)
    await services.enablePlugin(plugin, verb === 'enable')
    door.say(`${plugin} is ${verb}d for new sessions of a new start.`)
  },
}

export const pluginsCommand: SlashCommand = {
  name: 'plugins',
  aliases: [],
  args: '',
  summary: 'List the plugins and how they are',
  surfaces: ['cli', 'gateway'],
  run: ({ door, services }) =>
    sayRows(
      door,
      services.catalog.plugins.map(({ id, state, reason }) => [id, `${state}${reason ? ` (${reason.text})` : ''}`]),
    ),
}

function listTools(door: SlashDoor, catalog: Catalog): void {
  const rows = catalog.of('toolset').map(({ id, spec }) => [id, spec.tools.map((tool) => tool.name).join(', ')] as const)
  if (rows.length === 0) door.say('There are no tools.')
  else sayRows(door, rows)
}

/** Id of the plugin that brings a toolset, ready or not. */
function findToolset(catalog: Catalog, name: string): string {
  const all = listedOf(catalog, 'toolset')
  const found = all.find(({ id, plugin }) => id === name || plugin.id === name)
  if (found) return found.plugin.id
  const nearest = nearestName(
    name,
    all.map((each) => each.id),
  )
  throw fail('PLUGIN_NOT_FOUND', { id: name, ...(nearest ? { nearest } : {}) })
}
