import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { readText } from '#kernel/read-text.ts'
import { foldersOf } from '../rules/read-rules.ts'

/** The file in which a project names MCP servers, for every program that talks to such. */
export interface ProjectFile {
  /** The folder that holds it, without links. */
  readonly folder: string
  readonly path: string
  /** What it says, as it was written; empty where it cannot be taken. */
  readonly servers: Readonly<Record<string, unknown>>
  /** Why nothing of it is taken: the end of a sentence about the file. */
  readonly problem?: string
}

const fileName = '.mcp.json'
const mostBytes = 64 * 1024
const mostServers = 32

/** What steers a terminal, turns the direction of text, is not seen, or looks like a space and is none. */
export const hasUnseen = (text: string): boolean => /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text)

/** The folder of the nearest such file, from a folder up to the top of its repository; undefined where there is none. */
export function findProjectFolder(workspace: string): string | undefined {
  return foldersOf(workspace).find((folder) => lstatSync(join(folder, fileName), { throwIfNoEntry: false }))
}

export function readProjectFile(workspace: string): ProjectFile | undefined {
  const found = findProjectFolder(workspace)
  if (found === undefined) return undefined
  const folder = realpathSync(found)
  const path = join(folder, fileName)
  const read = readServers(path)
  return typeof read === 'string' ? { folder, path, servers: {}, problem: read } : { folder, path, servers: read }
}

/** The folder that the servers of a project are counted to, also where it names none. */
export function projectFolderOf(workspace: string): string {
  return readProjectFile(workspace)?.folder ?? realpathSync(workspace)
}

function readServers(path: string): Readonly<Record<string, unknown>> | string {
  // A question has to name it.
  if (hasUnseen(dirname(path))) return 'its folder has characters in its name that nobody sees'
  // Where a link leads is not the word of this project.
  if (lstatSync(path).isSymbolicLink()) return 'it is a link; put a file in its place'
  try {
    const { mcpServers } = { ...(JSON.parse(readText(path, { mostBytes }) ?? '') as { readonly mcpServers?: unknown } | null) }
    if (typeof mcpServers !== 'object' || mcpServers === null || Array.isArray(mcpServers)) return 'it has no object mcpServers'
    const count = Object.keys(mcpServers).length
    return count > mostServers ? `it names ${count} servers, and at most ${mostServers} are read` : { ...mcpServers }
  } catch (error) {
    return error instanceof SyntaxError || error instanceof RangeError ? 'it is no JSON' : detailOf(error).replace(/\.$/, '')
  }
}
