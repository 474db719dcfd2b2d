import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { type Obstacle, obstacle, refusePublishing } from '#kernel/package/publish-refusals.ts'

/** What package.json of a folder says about how it is published. */
export interface OwnPackage {
  readonly name: string
  readonly version: string
  /** Undefined for a name without one. */
  readonly scope: string | undefined
  readonly publishConfig: Readonly<Record<string, unknown>>
  /** What stands in the way, as far as the folder tells. */
  readonly obstacles: readonly Obstacle[]
}

const nameForm = /^(?:(@[a-z0-9~-][a-z0-9._~-]*)\/)?[a-z0-9~-][a-z0-9._~-]*$/
const versionForm = /^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?$/i
const longestName = 214

/** Reads it. Without a name, a version and a license nothing can be built, let alone packed. */
export function readOwnPackage(dir: string): OwnPackage {
  const { name, version, license, publishConfig = {}, private: isPrivate } = readJson(dir)
  const called = typeof name === 'string' && name !== '' ? name : basename(dir)
  const match = typeof name === 'string' && name.length <= longestName ? nameForm.exec(name) : null
  if (match === null) throw refusePublishing(called, obstacle('name-invalid', {}))
  if (typeof version !== 'string' || !versionForm.test(version)) {
    throw refusePublishing(called, obstacle('version-invalid', { version: version === undefined ? 'nothing' : String(version) }))
  }
  if (typeof license !== 'string' || license.trim() === '') throw refusePublishing(called, obstacle('license-missing', {}))
  const obstacles = [
    ...(isPrivate ? [obstacle('private', {})] : []),
    ...(readdirSync(dir).some((file) => /^readme(?:\.md|\.markdown|\.txt)?$/i.test(file)) ? [] : [obstacle('readme-missing', {})]),
  ]
  return { name: called, version, scope: match[1], publishConfig: publishConfig as OwnPackage['publishConfig'], obstacles }
}

function readJson(dir: string): Readonly<Record<string, unknown>> {
  const file = join(dir, 'package.json')
  const wrong = (problem: string): Error => fail('PLUGIN_BUILD', { plugin: dir, path: 'package.json', problem })
  if (!existsSync(file)) throw wrong('is missing, and without it there is no package')
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw wrong(`is no JSON: ${detailOf(cause)}`)
  }
  throw wrong('is no object')
}
