import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type AliasOwner, aliasesOf, aliasFolder, beginningFor, forgetAliases, isAliasOf } from '#config/alias-programs.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import { isProfileName } from '#config/home/profile-name.ts'
import { findProfile, usualHome } from '#config/home/profiles.ts'
import { quoteWord } from '#tools/shell/quote-word.ts'
import type { Cli } from '../console/cli.ts'
import { programFile } from '../console/own-command.ts'

export interface AliasOptions {
  readonly name?: string
  readonly remove?: true
}

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
export function refuseAlias(cli: Cli, name: string, owner?: AliasOwner): void {
  const problem = problemOf(cli, name, owner)
  if (problem !== undefined) throw fail('USAGE', { problem, try: 'agent profile alias <profile> --name <other name>' })
}

function makeAlias(cli: Cli, home: AliasOwner, name: string): string {
  refuseAlias(cli, name, home)
  return writeProgram(cli, home, name)
}

function writeProgram(cli: Cli, home: AliasOwner, name: string): string {
  const file = join(aliasFolder(cli.environment), name)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, scriptOf(cli, home), { mode: 0o755, flag: 'wx' })
  chmodSync(file, 0o755)
  return file
}

function problemOf(cli: Cli, name: string, owner: AliasOwner | undefined): string | undefined {
  if (!isProfileName(name) || name === 'agent') return `"${name}" cannot be the name of such a program.`
  const taken = [aliasFolder(cli.environment), ...pathOf(cli)].map((folder) => join(folder, name)).filter(isThere)
  const foreign = taken.find((file) => !owner || !isAliasOf(file, owner))
  return foreign === undefined ? undefined : `${foreign} is another program, and stays.`
}

function removeAliases(cli: Cli, profile: string, name: string | undefined): void {
  const gone = forgetAliases(cli.environment, findProfile(cli.environment, profile), name)
  if (gone.length === 0)
    throw fail('USAGE', {
      problem: `The profile ${profile} has no program of that kind${name === undefined ? '' : ` named ${name}`}.`,
      try: `agent profile alias ${profile}`,
    })
  cli.out(`${gone.join(', ')} ${gone.length === 1 ? 'is' : 'are'} gone; the profile ${profile} stays.`)
}

/** Lets the programs of a profile start it by its new name; the one that is called like it is called so too, where that name is free. */
export function renameAliases(cli: Cli, before: AliasOwner, after: AliasOwner): readonly string[] {
  return aliasesOf(cli.environment, before).map((file) => {
    const isNamesake = file === join(aliasFolder(cli.environment), before.profile)
    const name =
      isNamesake && problemOf(cli, after.profile, undefined) === undefined
        ? after.profile
        : file.slice(aliasFolder(cli.environment).length + 1)
    // A program of ours stays whatever else is called like it.
    const renamed = writeProgram(cli, after, name)
    if (renamed !== file) rmSync(file)
    return renamed
  })
}

/** Also a link that leads nowhere is somebody's. */
const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined

function scriptOf(cli: Cli, owner: AliasOwner): string {
  const home = owner.root === usualHome(cli.environment) ? '' : `AGENT_HOME=${quoteWord(owner.root)} `
  return `${beginningFor(owner)}${home}exec ${quoteWord(programFile(cli))} -p ${owner.profile} "$@"\n`
}

const pathOf = (cli: Cli): readonly string[] =>
  (openEnvironment(cli.environment).get('PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
