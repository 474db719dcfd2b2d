import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export interface HashedFile {
  /** Below the plugin's folder, with `/`. */
  readonly path: string
  readonly hash: string
}

/** Every file of a plugin's folder with its SHA-256, sorted; links count as what they say, not as what they lead to. */
export function hashFiles(root: string): readonly HashedFile[] {
  const names = readdirSync(root, { recursive: true }) as readonly string[]
  return names
    .map((name) => ({ name, path: name.replaceAll('\\', '/') }))
    .filter(({ name }) => !lstatSync(join(root, name)).isDirectory())
    .map(({ name, path }) => ({ path, hash: hashFile(join(root, name)) }))
    .sort((left, right) => (left.path < right.path ? -1 : 1))
}

/** The list as `sha256sum` writes it; its own hash stands for all files. */
export function formatFileList(files: readonly HashedFile[]): string {
  return files.map(({ path, hash }) => `${hash}  ${path}\n`).join('')
}

export function parseFileList(text: string): readonly HashedFile[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ hash: line.slice(0, 64), path: line.slice(66) }))
}

export function hashFile(path: string): string {
  return hashOf(isLink(path) ? `link to ${readlinkSync(path)}` : readFileSync(path))
}

export const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink()

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
