import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { readText } from '#kernel/read-text.ts'
import { isSkillName } from './skill-name.ts'

/** Skills that are followed together under one name. */
export interface Bundle {
  readonly name: string
  readonly description: string
  readonly skills: readonly string[]
  /** Said before the skills; empty where nothing is. */
  readonly instruction: string
}

const ending = '.yaml'
const mostBytes = 64 * 1024
/** A bundle is typed, and its file is called like it. */
const named = /^[a-z][a-z0-9-]{0,63}$/

/** The names of the bundles of a folder, without a look into them. */
export function listBundles(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .filter((name) => named.test(name))
    .sort()
}

export async function readBundle(folder: string, name: string): Promise<Bundle> {
  const file = findBundle(folder, name)
  const { parse } = await import('yaml')
  let fields: unknown
  try {
    fields = parse(readText(file, { mostBytes }) ?? '', { logLevel: 'error' })
  } catch {
    throw fail('BUNDLE_BROKEN', { file, problem: 'is not valid YAML' })
  }
  const { description = '', skills, instruction = '' } = (fields ?? {}) as Readonly<Record<string, unknown>>
  if (typeof description !== 'string' || typeof instruction !== 'string')
    throw fail('BUNDLE_BROKEN', { file, problem: 'has a description or an instruction that is no text' })
  if (!Array.isArray(skills) || skills.length === 0 || !skills.every(isSkillName))
    throw fail('BUNDLE_BROKEN', { file, problem: 'needs skills, a list of their names' })
  return {
    name,
    description: description.replaceAll(/\s+/g, ' ').trim(),
    skills: [...new Set(skills)],
    instruction: instruction.trim(),
  }
}

/** Writes a bundle whole or not at all; one that is there is only replaced where that is wanted. */
export async function writeBundle(folder: string, bundle: Bundle, { replace }: { readonly replace: boolean }): Promise<void> {
  const { name, ...about } = bundle
  const wrong = (problem: string): Error =>
    fail('USAGE', { problem, try: 'agent bundles create release --skill git-work --skill release-notes' })
  if (!named.test(name)) throw wrong('The name of a bundle has lower-case letters, digits and hyphens, and begins with a letter.')
  if (about.skills.length === 0) throw wrong('A bundle has at least one skill.')
  const bad = about.skills.find((each) => !isSkillName(each))
  if (bad !== undefined) throw wrong(`"${bad}" is no name of a skill.`)
  if (!replace && existsSync(fileOf(folder, name)))
    throw fail('USAGE', { problem: `There is a bundle ${name}.`, try: 'the same command with --force' })
  const { stringify } = await import('yaml')
  writeFileAtomic(fileOf(folder, name), stringify({ name, ...about }))
}

export function deleteBundle(folder: string, name: string): void {
  rmSync(findBundle(folder, name))
}

/** The file of a bundle that is there. */
function findBundle(folder: string, name: string): string {
  const names = listBundles(folder)
  if (names.includes(name)) return fileOf(folder, name)
  const nearest = nearestName(name, names)
  throw fail('BUNDLE_NOT_FOUND', nearest === undefined ? { bundle: name } : { bundle: name, nearest })
}

const fileOf = (folder: string, name: string): string => join(folder, `${name}${ending}`)
