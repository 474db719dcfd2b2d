import { fail } from '@agent/plugin-sdk/errors'
import type { Command } from 'commander'

/** Takes `-p <profile>` out of the words that stand before everything else. */
export function takeLeadingProfile(words: string[]): string | undefined {
  return isProfileOption(words[0]) ? cut(words, 0) : undefined
}

/** Takes it out where it is an option of the command: before `--`, and before the words that the command is about. */
export function takeProfile(words: string[], open: () => Command): string | undefined {
  if (!words.some(isProfileOption)) return undefined
  let command = open()
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? ''
    if (isProfileOption(word)) return cut(words, at)
    if (word === '--') return undefined
    if (word.startsWith('-')) {
      at += takesNext(command, word, words[at + 1]) ? 2 : 1
      continue
    }
    const inner = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (!inner) return undefined
    command = inner
    at++
  }
  return undefined
}

/** The options of a command's parts count too: one of them may be meant without its name. */
function takesNext(command: Command, word: string, next: string | undefined): boolean {
  const option = [command, ...command.commands].flatMap(({ options }) => options).find(({ short, long }) => short === word || long === word)
  return option?.required === true || (option?.optional === true && next?.startsWith('-') === false)
}

function isProfileOption(word: string | undefined): boolean {
  return word === '-p' || word === '--profile' || word?.startsWith('--profile=') === true
}

function cut(words: string[], at: number): string {
  const word = words[at] ?? ''
  const inline = word.startsWith('--profile=') ? word.slice('--profile='.length) : undefined
  const [, profile = inline] = words.splice(at, inline === undefined ? 2 : 1)
  if (!profile) throw fail('USAGE', { problem: `${word} needs the name of a profile.`, try: 'agent profile list' })
  return profile
}
