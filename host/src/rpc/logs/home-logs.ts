import { join } from 'node:path'
import { loadConfig } from '#config/load.ts'
import { levels, type ToldLine, tellLine } from '#observe/format-line.ts'
import { maskText } from '#observe/mask.ts'
import { readTail } from '#observe/read-log.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import type { HomeContext } from '../home-context.ts'

/** The logs of a home by name, with who writes them. */
export const logWriters = {
  agent: 'agent chat and the other commands',
  errors: 'every part that warns or fails',
  gateway: 'agent gateway',
  desktop: 'the desktop app',
  gui: 'the window of the desktop app',
} as const

export type HomeLog = keyof typeof logWriters

export function isHomeLog(name: string): name is HomeLog {
  return Object.hasOwn(logWriters, name)
}

export const pathOfLog = ({ logs }: { readonly logs: string }, name: HomeLog): string => join(logs, `${name}.log`)

export interface WantedLines {
  readonly name: HomeLog
  readonly count: number
  /** This one and those above it; undefined: all. */
  readonly level: (typeof levels)[number] | undefined
}

const mostRead = 20_000

/** The last lines of a log, oldest first. What is a secret by now is masked, also where it was none when the line was written. */
export async function readHomeLog(
  context: Pick<HomeContext, 'environment' | 'profile'>,
  { name, count, level }: WantedLines,
): Promise<{ readonly path: string; readonly lines: readonly ToldLine[] }> {
  const home = openHomeOf(context, { create: false })
  const { environment } = await loadConfig(home, context.environment)
  const path = pathOfLog(home.files, name)
  const tail = await readTail(path, level === undefined ? count : mostRead)
  const wanted: readonly string[] | undefined = level && levels.slice(levels.indexOf(level))
  const lines = tail.lines
    .map((line) => tellLine(line) ?? { at: '', level: '', text: line })
    .filter((line) => wanted === undefined || wanted.includes(line.level))
  return { path, lines: lines.slice(-count).map((line) => ({ ...line, text: maskText(line.text, environment.secrets()) })) }
}
