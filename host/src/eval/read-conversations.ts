import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type ReadYaml, readYaml } from '#config/file/read-yaml.ts'
import { readText } from '#kernel/read-text.ts'
import { describeIssue } from '#kernel/schema/describe-issue.ts'
import { type ConversationText, conversationSchema } from './conversation-schema.ts'

type Path = readonly (string | number)[]

/** A conversation, and where it stands. */
export interface WrittenConversation extends ConversationText {
  readonly file: string
  /** As people are told of it. */
  readonly shownFile: string
  lineOf(path: Path): number
  /** `file:line` of a part of it. */
  placeOf(path: Path): string
}

const mostBytes = 1024 * 1024
const mostFolders = 64
const passedOver = new Set(['node_modules', 'dist'])

/** The conversations of a folder, or of one file. Rejects with a sentence that names file, line and key where one is wrong, before any is run. */
export function readConversations(path: string, from: string): readonly WrittenConversation[] {
  const files = findFiles(path)
  const all = files.flatMap((file) => readFile(file, shownPath(from, file)))
  if (all.length === 0) throw fail('EVAL_NONE', { folder: shownPath(from, path) })
  return all
}

/** A path that leads out is clearer as a whole. */
function shownPath(from: string, path: string): string {
  const shown = relative(from, path)
  return shown === '' || shown.startsWith('..') ? path : shown
}

const isEvalFile = (name: string): boolean => /(?:^|\.)eval\.ya?ml$/.test(name)

function findFiles(path: string): readonly string[] {
  const about = statSync(path, { throwIfNoEntry: false })
  if (!about) throw fail('EVAL_NONE', { folder: path })
  return about.isDirectory() ? findBelow(path, 0) : [path]
}

function findBelow(folder: string, depth: number): readonly string[] {
  if (depth > mostFolders) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !passedOver.has(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return findBelow(path, depth + 1)
      return entry.isFile() && isEvalFile(entry.name) ? [path] : []
    })
}

function readFile(file: string, shownFile: string): readonly WrittenConversation[] {
  const read = readYaml(readText(file, { mostBytes }) ?? '')
  if (!read.ok) throw fail('EVAL_INVALID', { file: shownFile, line: read.fault.line, key: 'the file', problem: read.fault.reason })
  const { value } = read
  const documents: readonly unknown[] = Array.isArray(value) ? value : [value]
  const conversations = documents.map((document, index) =>
    parse(document, { file, shownFile, read, base: Array.isArray(value) ? [index] : [] }),
  )
  const names = new Set<string>()
  for (const { name, lineOf } of conversations) {
    if (names.has(name))
      throw fail('EVAL_INVALID', {
        file: shownFile,
        line: lineOf(['name']),
        key: 'name',
        problem: `another conversation is called "${name}"`,
      })
    names.add(name)
  }
  return conversations
}

interface Source {
  readonly file: string
  readonly shownFile: string
  readonly read: Extract<ReadYaml, { ok: true }>
  readonly base: Path
}

function parse(document: unknown, { file, shownFile, read, base }: Source): WrittenConversation {
  const lineOf = (path: Path): number => read.lineOf([...base, ...path])
  const parsed = conversationSchema.safeParse(document, { jitless: true, reportInput: true })
  if (parsed.success) return { ...parsed.data, file, shownFile, lineOf, placeOf: (path) => `${shownFile}:${lineOf(path)}` }
  const { issues } = parsed.error
  const { path, problem } = describeIssue(issues)
  const parts = issues[0]?.path.filter((part) => typeof part !== 'symbol') ?? []
  const stranger = issues[0]?.code === 'unrecognized_keys' ? issues[0].keys.slice(0, 1) : []
  throw fail('EVAL_INVALID', { file: shownFile, line: lineOf([...parts, ...stranger]), key: path || 'the file', problem })
}
