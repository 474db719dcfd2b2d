import { realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { commandNames } from '#commands/command-names.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Cli } from './cli.ts'

type Place = Pick<Cli, 'environment' | 'installRoot' | 'cwd'>

/** The file that a person starts. */
export function programFile({ installRoot }: Pick<Cli, 'installRoot'>): string {
  return join(installRoot, 'host', 'bin', 'agent.mjs')
}

/** What starts this program where the person is: its name, `npx` below the folder that it is installed in, or else its file. */
export function ownCommand(place: Place): string {
  if (findOnPath(place) !== undefined) return 'agent'
  // npx starts the program of the package that it is called in, without a link too: a checkout that keeps only what runs has none.
  if (realPath(place.cwd) === realPath(place.installRoot)) return 'npx agent'
  return foldersAbove(place.cwd).some((folder) => isProgram(place, join(folder, 'node_modules', '.bin', 'agent')))
    ? 'npx agent'
    : programFile(place)
}

/** npm and npx put it on the PATH of what they start; a shell does not have it. */
const ownBin = join('node_modules', '.bin')

/** Where this very program is on the PATH. Who hands no PATH on asks in no shell, and the name says enough. */
export function findOnPath(place: Pick<Place, 'environment' | 'installRoot'>): string | undefined {
  const path = openEnvironment(place.environment).get('PATH')
  if (path === undefined) return 'agent'
  const first = path
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.endsWith(ownBin))
    .map((folder) => join(folder, 'agent'))
    .find((file) => realPath(file) !== undefined)
  return first !== undefined && isProgram(place, first) ? first : undefined
}

const named = new RegExp(`(?<![\\w/.-])(?<!npx |Usage: )agent (?=${commandNames.join('|')})`, 'g')

/** The text with its commands as they are typed where the person is. */
export function formHints(text: string, place: Place): string {
  return text.replace(named, () => `${ownCommand(place)} `)
}

/** Whether a file is this program, or a link to it. */
export function isProgram(place: Pick<Place, 'installRoot'>, file: string): boolean {
  const real = realPath(file)
  return real !== undefined && real === realPath(programFile(place))
}

export function realPath(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    // It is not there, or nothing to us.
    return undefined
  }
}

function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)]
}
