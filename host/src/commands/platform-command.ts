import { nearestName } from '#kernel/nearest-name.ts'
import { sayRows } from './say-rows.ts'
import type { SlashCommand, SlashDoor, SlashServices } from './slash.ts'

const wishes = { pause: 'paused', resume: 'resumed' } as const

/** It is the owner's, and a person who is let in on a platform may be a guest: there it is for admins. */
export const platformCommand: SlashCommand = {
  name: 'platform',
  aliases: [],
  args: '[list|pause|resume] [platform]',
  summary: 'List the platforms of the gateway, or pause or resume one',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) => {
    const [verb = 'list', word = ''] = args.toLowerCase().split(/\s+/).filter(Boolean)
    if (verb === 'list') return listPlatforms(door, services)
    if (verb !== 'pause' && verb !== 'resume') return door.say('/platform takes list, pause or resume.')
    const known = services.catalog.of('platform').map(({ id }) => id)
    const platform = word.replaceAll('_', '-')
    if (!known.includes(platform)) return door.say(describeUnknown(word, known))
    await services.platforms.wish(platform, wishes[verb])
    door.say(`The gateway ${verb}s ${platform} within seconds, or when it starts.`)
  },
}

function listPlatforms(door: SlashDoor, { platforms }: SlashServices): void {
  const rows = platforms.states()?.map(({ platform, state }) => [platform, state] as const)
  if (rows === undefined) door.say('No gateway runs for this home.')
  else if (rows.length === 0) door.say('The gateway has no platform.')
  else sayRows(door, rows)
}

function describeUnknown(word: string, known: readonly string[]): string {
  if (word === '') return `Name a platform: ${known.join(', ') || 'none could run'}.`
  const nearest = nearestName(word, known)
  return `There is no platform "${word}" that could run.${nearest ? ` Did you mean "${nearest}"?` : ''}`
}
