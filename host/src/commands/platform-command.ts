import { nearestName } from '#kernel/nearest-name.ts'
import type { SlashCommand, SlashServices } from './slash.ts'

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
    if (verb === 'list') return door.say(formatPlatforms(services))
    if (verb !== 'pause' && verb !== 'resume') return door.say('/platform takes list, pause or resume.')
    const known = services.catalog.of('platform').map(({ id }) => id)
    const platform = word.replaceAll('_', '-')
    if (!known.includes(platform)) return door.say(describeUnknown(word, known))
    await services.platforms.wish(platform, wishes[verb])
    door.say(`The gateway ${verb}s ${platform} within seconds, or when it starts.`)
  },
}

function formatPlatforms({ platforms }: SlashServices): string {
  const states = platforms.states()
  if (states === undefined) return 'No gateway runs for this home.'
  return states.map(({ platform, state }) => `${platform}: ${state}`).join('\n') || 'The gateway has no platform.'
}

function describeUnknown(word: string, known: readonly string[]): string {
  if (word === '') return `Name a platform: ${known.join(', ') || 'none could run'}.`
  const nearest = nearestName(word, known)
  return `There is no platform "${word}" that could run.${nearest ? ` Did you mean "${nearest}"?` : ''}`
}
