// @module-tag process
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../repo/source-files.ts'

const bundler = new URL('../../host/install/bundle.mjs', import.meta.url).href
const { webOptions } = (await import(bundler)) as { webOptions(folder: string): BuildOptions }
const folder = join(root, 'host', 'web')
const kB = (bytes: number): number => Math.round(bytes / 100) / 10

/** A part of the page and all that it imports at once. */
function closure(parts: ReadonlyMap<string, string>, name: string, found = new Set<string>()): ReadonlySet<string> {
  found.add(name)
  for (const [, other = ''] of (parts.get(name) ?? '').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    if (!found.has(other)) closure(parts, other, found)
  return found
}

test('what is loaded until one can chat has at most 165 kB, the style 12, another page 15, and the terminal 100', async () => {
  const { outputFiles = [] } = await build({ ...webOptions(folder), outdir: join(folder, 'dist'), write: false })
  const parts = new Map(outputFiles.map(({ path, text }) => [path.replace(/^.*\//, ''), text]))
  const size = (name: string): number => gzipSync(parts.get(name) ?? '', { level: 9 }).length
  const find = (pattern: RegExp): string => [...parts.keys()].find((name) => pattern.test(name)) ?? ''
  const style = size(find(/\.css$/))
  const first = closure(parts, find(/^chat-page-/), new Set(closure(parts, find(/^app-/))))
  const total = [...first].reduce((sum, name) => sum + size(name), style)
  const all = [...parts.keys()].reduce((sum, name) => sum + size(name), 0)
  process.stdout.write(`dashboard, gzip: ${kB(total)} kB to the first chat, of which style ${kB(style)} kB; ${kB(all)} kB in all\n`)
  expect(kB(total)).toBeLessThanOrEqual(165)
  expect(kB(style)).toBeLessThanOrEqual(12)
  const terminal = find(/^terminal-page-/)
  expect(kB(size(terminal))).toBeLessThanOrEqual(100)
  expect([...parts.keys()].filter((name) => !first.has(name) && name !== terminal && kB(size(name)) > 15)).toEqual([])
})

test('the page that was built names files that are there, and none of another host', () => {
  const dist = join(folder, 'dist')
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  const { icons } = JSON.parse(readFileSync(join(dist, 'app.webmanifest'), 'utf8')) as { icons: readonly { src: string }[] }
  const names = [...[...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name), ...icons.map(({ src }) => src)]
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  expect(names).toHaveLength(8)
  expect(names.filter((name) => !files.includes(name))).toEqual([])
  expect(page).not.toMatch(/<style|style="|<script(?![^>]* src=)|https?:/)
})
