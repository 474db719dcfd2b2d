import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { ContractKind } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { folderOf } from '#kernel/kinds.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Cli } from '../../console/cli.ts'
import { loadKit } from '../check/load-kit.ts'
import { addScaffold } from './add-scaffold.ts'
import { copyExample, listKinds } from './rename-example.ts'

export interface CreateOptions {
  readonly dir?: string
  readonly json?: true
}

/** Writes a working plugin: the tested example of its kind, under another name. It appears whole or not at all. */
export async function createPlugin(cli: Cli, kind: string, word: string, { dir, json }: CreateOptions): Promise<void> {
  const examples = join(cli.installRoot, 'plugin-sdk', 'examples')
  checkKind(kind, listKinds(examples))
  const name = checkName(cli, kind, word)
  const id = `${kind}-${name}`
  const target = resolve(cli.cwd, dir ?? id)
  checkTarget(target, `agent plugins create ${kind} ${name} --dir OTHER`)
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}`)
  const made = await makeFolder(dirname(target))
  try {
    const copied = await copyExample(join(examples, kind), draft, name)
    const added = await addScaffold(join(cli.installRoot, 'plugin-sdk', 'scaffold'), draft)
    const files = [...copied, ...added].map((file) => relative(draft, file)).sort()
    await (await loadKit(cli.installRoot)).buildPlugin({ dir: draft })
    if (existsSync(target)) await rmdir(target)
    await rename(draft, target)
    if (json) return cli.json({ plugin: id, kind, dir: target, files })
    cli.out(`${id} is in ${target}.`)
    cli.out(`  agent plugins check ${target}   tries it by every rule`)
    cli.out(`  agent plugins dev ${target}     runs it, and again on every change`)
    cli.out(`  agent plugins publish ${target} --dry-run   shows what others would get`)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    throw error
  }
}

function checkKind(kind: string, kinds: readonly string[]): void {
  if (kinds.includes(kind)) return
  const nearest = nearestName(kind, kinds)
  const hint = nearest === undefined ? `The kinds are ${kinds.join(', ')}.` : `Did you mean "${nearest}"?`
  throw fail('USAGE', {
    problem: `There is no kind of plugin "${kind}". ${hint}`,
    try: `agent plugins create ${nearest ?? kinds[0] ?? 'KIND'} NAME`,
  })
}

const longestName = 40

/** The name without its kind: `toolset-dice` and `dice` mean the same. */
function checkName({ installRoot }: Cli, kind: string, word: string): string {
  const name = word.startsWith(`${kind}-`) ? word.slice(kind.length + 1) : word
  const refuse = (problem: string, better: string): Error => fail('USAGE', { problem, try: `agent plugins create ${kind} ${better}` })
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > longestName) {
    const better = slug(name)
    const hint = better === '' ? '' : ` Did you mean "${better}"?`
    const rule = `A name is at most ${longestName} lower-case letters, digits and single hyphens, and begins with a letter`
    throw refuse(`"${word}" cannot be the name of a plugin.${hint} ${rule}.`, better || 'my-plugin')
  }
  if (existsSync(join(installRoot, 'plugins', folderOf(kind as ContractKind), name))) {
    throw refuse(`${kind}-${name} is the id of a plugin that came with agent.`, `my-${name}`)
  }
  return name
}

function slug(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .slice(0, longestName)
    .replace(/-+$/, '')
}

function checkTarget(target: string, other: string): void {
  if (!existsSync(target)) return
  try {
    if (readdirSync(target).length === 0) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error
  }
  throw fail('USAGE', { problem: `${target} is there already, and nothing in it was changed.`, try: other })
}

/** The first folder that had to be made, if any. */
async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true })
  } catch (cause) {
    throw fail(
      'USAGE',
      { problem: `${folder} cannot be made: ${detailOf(cause)}.`, try: 'agent plugins create KIND NAME --dir OTHER' },
      { cause },
    )
  }
}
