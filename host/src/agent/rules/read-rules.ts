import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { readText } from '#kernel/read-text.ts'
import { scanText } from '#kernel/scan-text.ts'

/** What people wrote down for the agent: who it is, and the rules of the folder that it works in. */
export interface Rules {
  /** SOUL.md of the home, in place of the first sentence of the prompt. */
  readonly identity?: string
  /** The farthest folder first: the nearest has the last word. */
  readonly files: readonly RuleFile[]
  /** What was left out and why, a sentence each. */
  readonly notes: readonly string[]
}

export interface RuleFile {
  readonly path: string
  readonly text: string
}

export const noRules: Rules = { files: [], notes: [] }

/** The first of these that a folder has is read. */
const ruleNames = ['.agent.md', 'AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const

/** Characters of one file, and of all of them: each session pays for them. */
const mostOfFile = 24_000
const mostOfAll = 48_000
/** A larger file is not read at all. */
const mostBytes = 1024 * 1024

export interface RulePlaces {
  /** `<home>/SOUL.md`; absent: it is not read. */
  readonly identity?: string
  readonly workspace: string
}

/**
 * Reads SOUL.md, and the rule files from the workspace up to the top of its repository. Outside of a repository the workspace alone counts:
 * folders above it may belong to others. A file that cannot be read, or that wants to take over the agent, is left out with a note.
 */
export function readRules({ identity, workspace }: RulePlaces): Rules {
  const notes: string[] = []
  const own = identity === undefined ? undefined : readRule(identity, mostOfFile, notes)
  const files: RuleFile[] = []
  let room = mostOfAll
  for (const folder of foldersOf(workspace)) {
    const path = ruleNames.map((name) => join(folder, name)).find(exists)
    const file = path && readRule(path, Math.min(mostOfFile, room), notes)
    if (!file) continue
    room -= Math.min(file.text.length, room)
    files.unshift(file)
  }
  return { ...(own ? { identity: own.text } : {}), files, notes }
}

/** From the workspace up to the folder that holds `.git`, the nearest first. */
export function foldersOf(workspace: string): readonly string[] {
  const folders: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.push(folder)
    if (exists(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) return [workspace]
  }
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function readRule(path: string, room: number, notes: string[]): RuleFile | undefined {
  const written = read(path, notes)
  if (written === undefined) return undefined
  // Some editors begin every file with a mark; it hides nothing.
  const { text, hidden, injection } = scanText(written.replace(/^\uFEFF/, ''))
  if (injection) {
    const why = `its line ${injection.line} wants to take over the agent ("${injection.words}")`
    notes.push(`${path} is not followed, because ${why}: change that line, or remove the file.`)
    return undefined
  }
  if (hidden > 0) notes.push(`${path} holds characters that nobody sees (${hidden}); they are left out.`)
  const whole = text.trim()
  if (whole === '') return undefined
  if (whole.length <= room) return { path, text: whole }
  notes.push(
    `${path} has ${whole.length.toLocaleString('en-US')} characters, of which ${room.toLocaleString('en-US')} are read: shorten it.`,
  )
  if (room === 0) return undefined
  return { path, text: `${whole.slice(0, room)}\n[The file goes on: read it where you need the rest.]` }
}

function read(path: string, notes: string[]): string | undefined {
  try {
    return readText(path, { mostBytes })
  } catch (error) {
    notes.push(detailOf(error))
    return undefined
  }
}
