import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { isHeirloom, listHeirlooms } from '#config/home/clone-profile.ts'
import { homeOf } from '#config/home/home.ts'
import { createProfile, findProfile, freeHome, stagingFolder } from '#config/home/profiles.ts'
import { readTar, type TarHeader } from '#kernel/package/read-tar.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../console/cli.ts'
import { confirm } from '../console/confirm.ts'
import { refuseCommandName } from './make-profile.ts'
import { writeArchive } from './write-archive.ts'

const most = { files: 50_000, mebibytes: 1024 } as const

export interface ExportOptions {
  readonly output?: string
  readonly withSecrets?: true
}

/** Writes settings, identity, skills and memory of a profile to a file; with secrets everything that a clone of all has. */
export async function exportProfile(cli: Cli, name: string | undefined, { output, withSecrets }: ExportOptions): Promise<void> {
  const home = name === undefined ? openHomeOf(cli, { create: false }) : findProfile(cli.environment, name)
  const file = resolve(cli.cwd, output ?? `${home.profile}.tar.gz`)
  if (existsSync(file)) throw fail('USAGE', { problem: `${file} is there already.`, try: 'agent profile export -o another.tar.gz' })
  const names = listHeirlooms(home, withSecrets ? 'all' : 'settled').filter((each) => withSecrets || each !== '.env')
  const files = await writeArchive(file, home.path, names, cli.signal)
  cli.out(`Profile ${home.profile}: ${files} files written to ${file}.`)
  cli.note(
    withSecrets
      ? 'The file holds keys and logins: keep it to yourself.'
      : 'Keys in .env and logins are not in it. What config.yaml says is in it as it is.',
  )
}

export interface ImportOptions {
  readonly name?: string
  readonly yes?: true
}

/** Makes a profile of such a file. Plugins in it would run from the next start on, so a person says yes to them. */
export async function importProfile(cli: Cli, archive: string, options: ImportOptions): Promise<void> {
  const name = options.name ?? basename(archive).replace(/\.(?:tar\.gz|tgz)$/, '')
  refuseCommandName(name, `import ${archive} --name`)
  const { root } = freeHome(cli.environment, name)
  const unpacked = stagingFolder(homeOf(root, `${name}-import`))
  try {
    await unpack(resolve(cli.cwd, archive), unpacked, cli.signal)
    const plugins = existsSync(join(unpacked, 'plugins'))
    if (plugins && !options.yes && !(await confirm(cli, `${archive} brings plugins, whose code would run here. Import it?`))) {
      cli.out('Nothing was imported.')
      return
    }
    const { path } = createProfile(cli.environment, name, (folder) => {
      rmdirSync(folder)
      renameSync(unpacked, folder)
    })
    cli.out(`Profile ${name} is ready in ${path}. Use it with agent -p ${name} chat.`)
    cli.note('Its config.yaml says from now on what the agent may do there: read it where the file is not your own.')
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
  }
}

async function unpack(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  const refuse = (problem: string, cause?: unknown): Error =>
    fail('USAGE', { problem: `${archive} is no profile that can be read: ${problem}.`, try: 'agent profile export' }, { cause })
  try {
    for await (const { path, type, content } of readTar(archive, createInspector(refuse), signal)) {
      if (type !== 'file') continue
      const target = join(folder, ...partsOf(path).slice(1))
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      writeFileSync(target, content, { mode: 0o600, flag: 'wx' })
    }
  } catch (error) {
    if (signal.aborted || isAgentError(error)) throw error
    throw refuse(detailOf(error), error)
  }
}

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '' && part !== '.')

/** Judges one header after the other, before its content is kept. */
function createInspector(refuse: (problem: string) => Error): (header: TarHeader) => void {
  let bytes = 0
  let files = 0
  return ({ path, type, size }) => {
    const [first, name = '', ...rest] = partsOf(path)
    const isOutside = path.startsWith('/') || /[\\\0]/.test(path) || [name, ...rest].some((part) => part === '..' || /^[a-z]:/i.test(part))
    if (isOutside || first !== 'profile' || (type === 'file' && name === '')) throw refuse(`"${path}" would not lie in the profile`)
    if (type === 'link' || type === 'other') throw refuse(`"${path}" is neither a file nor a folder`)
    if (name !== '' && !isHeirloom(name)) throw refuse(`"${path}" belongs to the past of another home`)
    bytes += size
    files += 1
    if (bytes > most.mebibytes * 1_048_576 || files > most.files) throw refuse('it is too large')
  }
}
