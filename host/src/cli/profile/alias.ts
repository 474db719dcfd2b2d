import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Home } from '#config/home/home.ts'
import { isProfileName } from '#config/home/profile-name.ts'
import { findProfile, usualHome } from '#config/home/profiles.ts'
import type { Cli } from '../console/cli.ts'
import { programFile } from '../console/own-command.ts'

export interface AliasOptions {
  readonly name?: string
  readonly remove?: true
}

type Owner = Pick<Home, 'root' | 'profile'>

/** The line by which a program is known as ours, and whose it is. */
const markOf = ({ root, profile }: Owner): string => `# agent profile alias ${JSON.stringify([root, profile])}`
const start = '#!/bin/sh\n'
/** What we write is shorter. */
const mostBytes = 16_384

/** Makes a program that starts agent with one profile, or takes it away. */
export function aliasProfile(cli: Cli, profile: string, options: AliasOptions): void {
  if (options.remove) {
    removeAliases(cli, profile, options.name)
    return
  }
  const home = findProfile(cli.environment, profile)
  const file = makeAlias(cli, home, options.name ?? profile)
  const folders = pathOf(cli)
  const hint = folders.includes(dirname(file)) ? '' : ` ${dirname(file)} is not on your PATH.`
  cli.out(`${file} starts agent with the profile ${profile}.${hint}`)
}

/** Says why a name cannot be one, before anything is made. */
export function refuseAlias(cli: Cli, name: string, owner?: Owner): void {
  const problem = problemOf(cli, name, owner)
  if (problem !== undefined) throw fail('USAGE', { problem, try: 'agent profile alias <profile> --name <other name>' })
}

function makeAlias(cli: Cli, home: Owner, name: string): string {
  refuseAlias(cli, name, home)
  const file = join(folderOf(cli), name)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, scriptOf(cli, home), { mode: 0o755, flag: 'wx' })
  chmodSync(file, 0o755)
  return file
}

function problemOf(cli: Cli, name: string, owner: Owner | undefined): string | undefined {
  if (!isProfileName(name) || name === 'agent') return `"${name}" cannot be the name of such a program.`
  const taken = [folderOf(cli), ...pathOf(cli)].map((folder) => join(folder, name)).filter(isThere)
  const foreign = taken.find((file) => !owner || !isOf(file, owner))
  return foreign === undefined ? undefined : `${foreign} is another program, and stays.`
}

function removeAliases(cli: Cli, profile: string, name: string | undefined): void {
  const gone = forgetAliases(cli, findProfile(cli.environment, profile), name)
  if (gone.length === 0)
    throw fail('USAGE', {
      problem: `The profile ${profile} has no program of that kind${name === undefined ? '' : ` named ${name}`}.`,
      try: `agent profile alias ${profile}`,
    })
  cli.out(`${gone.join(', ')} ${gone.length === 1 ? 'is' : 'are'} gone; the profile ${profile} stays.`)
}

/** Takes away the programs of a profile, or the one of this name. */
export function forgetAliases(cli: Cli, owner: Owner, name?: string): readonly string[] {
  const files = aliasesOf(cli, owner).filter((file) => name === undefined || file === join(folderOf(cli), name))
  for (const file of files) rmSync(file)
  return files
}

/** Lets the programs of a profile start it by its new name; the one that is called like it is called so too, where that name is free. */
export function renameAliases(cli: Cli, before: Owner, after: Owner): readonly string[] {
  return aliasesOf(cli, before).map((file) => {
    const isNamesake = file === join(folderOf(cli), before.profile)
    const name = isNamesake && problemOf(cli, after.profile, undefined) === undefined ? after.profile : file.slice(folderOf(cli).length + 1)
    rmSync(file)
    return makeAlias(cli, after, name)
  })
}

/** The programs that start a profile. */
function aliasesOf(cli: Cli, owner: Owner): readonly string[] {
  const folder = folderOf(cli)
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((file) => isOf(file, owner))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch {
    // Who has no such folder has no such program.
    return []
  }
}

/** Also a link that leads nowhere is somebody's. */
const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined

const isOf = (file: string, owner: Owner): boolean => beginningOf(file).startsWith(`${start}${markOf(owner)}\n`)

/** Programs may be large: only the beginning is read. */
function beginningOf(file: string): string {
  try {
    const handle = openSync(file, 'r')
    try {
      const bytes = Buffer.alloc(mostBytes)
      return bytes.subarray(0, readSync(handle, bytes)).toString('utf8')
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}

function scriptOf(cli: Cli, owner: Owner): string {
  const home = owner.root === usualHome(cli.environment) ? '' : `AGENT_HOME=${quoted(owner.root)} `
  return `${start}${markOf(owner)}\n${home}exec ${quoted(programFile(cli))} -p ${owner.profile} "$@"\n`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const folderOf = (cli: Cli): string => join(openEnvironment(cli.environment).get('HOME') || homedir(), '.local', 'bin')

const pathOf = (cli: Cli): readonly string[] =>
  (openEnvironment(cli.environment).get('PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
