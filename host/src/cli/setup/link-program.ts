import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Cli } from '../console/cli.ts'
import { findOnPath, isProgram, programFile, realPath } from '../console/own-command.ts'
import { openAsker } from './asker.ts'

/** Offers to put the program on the PATH, which needs no rights of others. */
export async function linkProgram(cli: Cli, { yes }: { readonly yes: boolean }): Promise<void> {
  const found = findOnPath(cli)
  if (found !== undefined) return cli.out(`agent is on your PATH: ${found}`)
  const link = join(openEnvironment(cli.environment).get('HOME') || homedir(), '.local', 'bin', 'agent')
  if (!yes && !(await isWanted(cli, link))) return
  if (!isProgram(cli, link)) makeLink(cli, link)
  const path = openEnvironment(cli.environment).get('PATH') ?? ''
  if (path.split(delimiter).includes(dirname(link))) return cli.out(`${link} starts this program: agent works from every folder.`)
  cli.out(`${link} starts this program, but ${dirname(link)} is not on your PATH.`)
  cli.out(`Add this line to ~/.profile and log in again: export PATH="${dirname(link)}:$PATH"`)
}

async function isWanted(cli: Cli, link: string): Promise<boolean> {
  if (!cli.terminal) throw fail('USAGE', { problem: 'The question needs a terminal.', try: 'agent setup --yes' })
  using asker = openAsker(cli)
  const answer = await asker.ask(`agent is not on your PATH. Link it as ${link}? [Y/n] `)
  return /^(y(es)?)?$/i.test(answer)
}

function makeLink(cli: Cli, link: string): void {
  if (realPath(link) !== undefined)
    throw fail('USAGE', { problem: `${link} is another program, and stays.`, try: `ln -s ${programFile(cli)} in a folder of your PATH` })
  mkdirSync(dirname(link), { recursive: true })
  // One that leads nowhere is left from an installation that is gone.
  rmSync(link, { force: true })
  symlinkSync(programFile(cli), link)
}
