import type { ReasoningEffort } from '@agent/plugin-sdk'
import type { ReasoningSetting, SlashCommand } from './slash.ts'

const efforts: readonly ReasoningEffort[] = ['none', 'low', 'medium', 'high', 'xhigh']
const shows: { readonly [word: string]: boolean } = { show: true, on: true, hide: false, off: false }

export const reasoningCommand: SlashCommand = {
  name: 'reasoning',
  aliases: [],
  args: `[${efforts.join('|')}|show|on|hide|off]`,
  summary: 'Set how hard the model thinks, and whether it is shown',
  surfaces: ['cli', 'gateway'],
  run: async ({ args, door }) => {
    const word = args.toLowerCase()
    const before = door.reasoning()
    const after = word === '' ? before : change(before, word)
    if (!after) return door.say(`/reasoning takes one of: ${[...efforts, ...Object.keys(shows)].join(', ')}.`)
    if (after !== before) await door.setReasoning(after)
    door.say(`Thinking: ${after.effort ?? "the model's own measure"}; ${after.show ? 'shown' : 'hidden'}.`)
  },
}

function change(before: ReasoningSetting, word: string): ReasoningSetting | undefined {
  const effort = efforts.find((each) => each === word)
  if (effort) return { ...before, effort }
  return Object.hasOwn(shows, word) ? { ...before, show: shows[word] === true } : undefined
}
