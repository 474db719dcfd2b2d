import type { SlashCommand } from '#commands/slash.ts'
import type { Complete, Completion } from '../input/menu.ts'
import { findFiles } from './find-files.ts'

/** A name, alone or with a few words that stand beside it. */
export type Named = string | { readonly name: string; readonly note: string }

export interface CompleteOptions {
  readonly commands: () => readonly Pick<SlashCommand, 'name' | 'aliases' | 'args' | 'summary'>[]
  /** What may stand for a word of a command's arguments: `[session]` asks for the names of `session`. */
  readonly names: (word: string) => Promise<readonly Named[]>
  readonly skills: () => Promise<readonly string[]>
  /** Skills that are given like commands. */
  readonly slashSkills: () => readonly Pick<SlashCommand, 'name' | 'summary'>[]
  /** Folder that relative paths begin in. */
  readonly folder: string
}

/** What the Tab key offers: commands, their arguments, files and skills. */
export function createComplete(options: CompleteOptions): Complete {
  return async (before) => {
    if (/^\/\S*$/.test(before)) {
      const typed = before.slice(1).toLowerCase()
      // A short name is whole, and not the beginning of another.
      if (options.commands().some(({ aliases }) => aliases.includes(typed))) return undefined
      const found = [...options.commands(), ...options.slashSkills()].filter(({ name }) => name.startsWith(typed))
      if (found.length > 0) return { from: 0, items: found.map(({ name }) => `/${name} `), notes: found.map(({ summary }) => summary) }
    }
    return completeStack(options, before) ?? (await completeArgument(options, before)) ?? completeWord(options, before)
  }
}

/** `/first /sec`: what stands behind a skill may be another. */
function completeStack({ slashSkills }: CompleteOptions, before: string): Completion | undefined {
  const [, first = '', typed] = /^\/(\S+)\s+(?:\/\S+\s+)*\/(\S*)$/.exec(before) ?? []
  if (typed === undefined) return undefined
  const skills = slashSkills()
  const found = skills.some(({ name }) => name === first) ? skills.filter(({ name }) => name.startsWith(typed.toLowerCase())) : []
  if (found.length === 0) return undefined
  const from = before.length - typed.length - 1
  return { from, items: found.map(({ name }) => `/${name} `), notes: found.map(({ summary }) => summary) }
}

async function completeArgument({ commands, names }: CompleteOptions, before: string): Promise<Completion | undefined> {
  const [, name = '', given = ''] = /^\/(\S+)\s+([\s\S]*)$/.exec(before) ?? []
  const command = commands().find((each) => each.name === name || each.aliases.includes(name))
  if (!command) return undefined
  const words = given.split(/\s+/)
  const places = placesOf(command.args)
  // The name of a session has spaces, and is the whole of what is given.
  const isWhole = places[0] === 'session'
  const place = isWhole ? 'session' : places[words.length - 1]
  if (place === undefined) return undefined
  const typed = isWhole ? given : (words.at(-1) ?? '')
  const items = place.includes('|') ? place.split('|') : await names(place)
  const notes = new Map(items.map((item) => (typeof item === 'string' ? [`${item} `, ''] : [`${item.name} `, item.note])))
  const found = startingWith(typed, [...notes.keys()])
  if (found.length === 0) return undefined
  const beside = found.map((item) => notes.get(item) ?? '')
  return { from: before.length - typed.length, items: found, ...(beside.some((note) => note !== '') ? { notes: beside } : {}) }
}

/** `[list|pause] [platform]` has two places. */
function placesOf(args: string): readonly string[] {
  return [...args.matchAll(/[[<]([^\]>]+)[\]>]/g)].map(([, place = '']) => place)
}

async function completeWord({ skills, folder }: CompleteOptions, before: string): Promise<Completion | undefined> {
  const word = /\S*$/.exec(before)?.[0] ?? ''
  if (word === '') return undefined
  const mark = word.startsWith('@') ? '@' : ''
  const path = word.slice(mark.length)
  const files = await findFiles(path, folder)
  const known =
    mark === '' && !path.includes('/')
      ? startingWith(
          word,
          (await skills()).map((skill) => `${skill} `),
        )
      : []
  return { from: before.length - word.length, items: [...known, ...files.map((file) => mark + file)] }
}

function startingWith(typed: string, items: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase()
  return [...new Set(items)].filter((item) => item.toLowerCase().startsWith(wanted))
}
