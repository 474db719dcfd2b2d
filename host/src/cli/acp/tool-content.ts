import { resolve } from 'node:path'
import type { Wire } from '@agent/plugin-sdk'
import type { Diff, PlanEntry, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { findChange } from '../chat/render/change.ts'

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ...['read_file', 'skill_view', 'list_skills', 'vision_analyze'].map((name) => [name, 'read'] as const),
  ...['write_file', 'patch', 'skill_manage'].map((name) => [name, 'edit'] as const),
  ...['search_files', 'session_search', 'recall', 'web_search', 'tool_search'].map((name) => [name, 'search'] as const),
  ...['terminal', 'process'].map((name) => [name, 'execute'] as const),
  ...['web_extract', 'web_crawl'].map((name) => [name, 'fetch'] as const),
  ...['todo', 'memory', 'delegate_task', 'clarify'].map((name) => [name, 'think'] as const),
])

export const kindOf = (tool: string): ToolKind => kinds.get(tool) ?? 'other'

const mostText = 20_000

export const textContent = (text: string): ToolCallContent => contentOf(cut(text))

const contentOf = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } })

const cut = (text: string): string =>
  text.length > mostText ? `${text.slice(0, mostText)}\n… ${text.length - mostText} more characters` : text

/** A block of what a program printed: it may hold what ends a shorter fence. */
export function outputContent(text: string): ToolCallContent {
  const longest = Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([found]) => found.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return contentOf(`${fence}console\n${cut(text)}\n${fence}`)
}

export function fieldOf(args: Wire, name: string): string | undefined {
  if (args === null || typeof args !== 'object' || Array.isArray(args) || args instanceof Uint8Array) return undefined
  const value = (args as { readonly [key: string]: Wire | undefined })[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The file that a call is about, for an editor that follows. */
export function locationsOf(tool: string, args: Wire, folder: string): ToolCallLocation[] {
  const path = fieldOf(args, 'path')
  return path !== undefined && ['read', 'edit', 'search'].includes(kindOf(tool)) ? [{ path: resolve(folder, path) }] : []
}

/** What a call is about to change, as far as it says so itself. */
export function plannedChange(tool: string, args: Wire, folder: string): ToolCallContent[] {
  const path = fieldOf(args, 'path')
  const [oldText, newText] = [fieldOf(args, 'old_string'), fieldOf(args, 'new_string') ?? '']
  if (tool !== 'patch' || path === undefined || oldText === undefined) return []
  return [{ type: 'diff', path: resolve(folder, path), oldText, newText }]
}

/** What a call has changed: its places with the lines around them, by the change that the tool tells. */
export function doneChange(args: Wire, text: string, result: Wire | undefined, folder: string): ToolCallContent[] {
  const change = findChange(text, result)
  const path = fieldOf(args, 'path')
  if (change === undefined || path === undefined || /\n… the rest of the diff is left out …$/.test(change)) return []
  const lines = change.split('\n').slice(2)
  const places: string[][] = []
  for (const line of lines) {
    if (line.startsWith('@@ ')) places.push([])
    else places.at(-1)?.push(line)
  }
  return places.map((place) => ({ type: 'diff', path: resolve(folder, path), ...sidesOf(place) }))
}

function sidesOf(lines: readonly string[]): Pick<Diff, 'oldText' | 'newText'> {
  const side = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const old = side('-')
  return { oldText: old === '' ? null : old, newText: side('+') }
}

const boxes: ReadonlyMap<string, PlanEntry['status']> = new Map([
  [' ', 'pending'],
  ['>', 'in_progress'],
  ['x', 'completed'],
])

/** The list of the todo tool, as it says it. What was given up is no part of a plan. */
export function planOf(text: string): PlanEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, box = '', content = ''] = /^\[(.)\] [^:]+: (.*)$/.exec(line) ?? []
    const status = boxes.get(box)
    return status ? [{ content, priority: 'medium' as const, status }] : []
  })
}
