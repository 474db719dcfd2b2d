import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod'
import { isSecretKey } from '#config/environment/secret-keys.ts'
import { readYaml } from '#config/file/read-yaml.ts'
import { isReference } from '#config/file/references.ts'
import { isTree } from '#config/schema/merge.ts'
import { readText } from '#kernel/read-text.ts'
import { describeIssue } from '#kernel/schema/describe-issue.ts'

const mostBytes = 1024 * 1024

const name = z.string().regex(/^[a-z0-9][\w-]{0,99}$/i)

const packedPlugin = z.strictObject({
  id: name,
  /** As `agent plugins install` takes it; absent for a plugin that comes with agent. */
  install: z.string().min(1).max(500).optional(),
  enabled: z.boolean().optional(),
  config: z.record(name, z.unknown()).optional(),
  /** Settings that the author of the list has and keeps: secrets. */
  asks: z.array(name).optional(),
})

const packSchema = z.strictObject({
  format: z.literal(1),
  name: z.string().min(1).max(100),
  plugins: z.array(packedPlugin).min(1).max(200),
})

/** A list of plugins with their settings, which one person writes and another installs. */
export type Pack = z.infer<typeof packSchema>
export type PackedPlugin = Pack['plugins'][number]

/** Reads a list. What is wrong is named with file, line and key, before anything is done. */
export function readPack(file: string): Pack {
  const text = readText(file, { mostBytes })
  if (text === undefined) throw fail('USAGE', { problem: `There is no file ${file}.`, try: 'agent plugins pack install FILE' })
  const read = readYaml(text)
  const wrong = (line: number, key: string, problem: string) =>
    fail('USAGE', { problem: `${basename(file)}:${line}: ${key}: ${problem}.`, try: 'agent plugins pack export' })
  if (!read.ok) throw wrong(read.fault.line, 'the file', read.fault.reason)
  const parsed = packSchema.safeParse(read.value, { jitless: true, reportInput: true })
  if (!parsed.success) {
    const { issues } = parsed.error
    const { path, problem } = describeIssue(issues)
    const parts = issues[0]?.path.filter((part) => typeof part !== 'symbol') ?? []
    throw wrong(read.lineOf(parts), path || 'the file', problem)
  }
  const ids = new Set<string>()
  for (const [at, { id, config = {} }] of parsed.data.plugins.entries()) {
    if (ids.has(id)) throw wrong(read.lineOf(['plugins', at]), 'id', `${id} is there twice`)
    ids.add(id)
    const closed = Object.keys(config).find((key) => isClosed(config[key], key))
    if (closed === undefined) continue
    const problem = `plugins.${at}.config.${closed}`
    throw wrong(
      read.lineOf(['plugins', at, 'config', closed]),
      problem,
      `a list holds no secret and names no variable; write ${closed} under asks`,
    )
  }
  return parsed.data
}

/** A secret, or the name of a variable, whose value would go to a plugin that somebody else chose. */
export function isClosed(value: unknown, key: string): boolean {
  if (typeof value === 'string')
    return isReference(value) || (isSecretKey(key) && value !== '') || /:\/\/[^\s/?#@]*:[^\s/?#@]+@/.test(value)
  if (Array.isArray(value)) return value.some((item: unknown) => isClosed(item, key))
  return isTree(value) && Object.entries(value).some(([inner, item]) => isClosed(item, inner))
}

/** Stands for what a list wants, however its file is written. */
export const hashPack = (pack: Pack): string => createHash('sha256').update(JSON.stringify(pack)).digest('hex')
