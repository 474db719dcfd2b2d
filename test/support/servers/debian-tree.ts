import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { sayMissing } from '../needs.ts'

const mirror = 'http://deb.debian.org/debian'

/** A second Debian in the cache of the user, in which servers run as processes of this machine: same network, other files. */
export interface DebianTree {
  /** Starts a program; `data` is a folder of this machine that it sees as `/data`. It dies with this process. */
  start(data: string, words: readonly string[]): ChildProcess
  /** Runs a program to its end; throws what it said where it fails. */
  run(data: string, words: readonly string[]): Promise<string>
}

/** Opens the tree with these packages of Debian unstable, fetched once: with three servers 500 MB, some three minutes. */
export async function openDebianTree(packages: readonly string[]): Promise<DebianTree> {
  for (const [program, needed] of [
    ['/usr/bin/mmdebstrap', 'mmdebstrap'],
    ['/usr/bin/bwrap', 'bubblewrap'],
  ] as const)
    if (!existsSync(program)) throw new Error(sayMissing(needed, needed))
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(cache, 'agent', 'servers', packages.join('+'))
  if (!existsSync(join(folder, 'complete'))) await fetchTree(folder, packages)
  const wordsFor = (data: string, words: readonly string[]): readonly string[] => [
    ...['--bind', folder, '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', data, '/data'],
    ...['--unshare-pid', '--die-with-parent', '--chdir', '/data', '--setenv', 'HOME', '/data', ...words],
  ]
  const start: DebianTree['start'] = (data, words) => spawn('/usr/bin/bwrap', wordsFor(data, words), { stdio: ['ignore', 'pipe', 'pipe'] })
  return { start, run: async (data, words) => await heardFrom(start(data, words), words.join(' ')) }
}

async function fetchTree(folder: string, packages: readonly string[]): Promise<void> {
  process.stderr.write(`fetching ${packages.join(', ')} from Debian unstable …\n`)
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(join(folder, '..'), { recursive: true })
  // A mirror may be older than its signature is valid; the signature itself is checked.
  const options = ['APT::Install-Recommends "false"', 'Acquire::Check-Valid-Until "false"'].map((option) => `--aptopt=${option}`)
  const words = ['--variant=apt', `--include=${packages.join(',')}`, ...options, 'unstable', draft, mirror]
  await heardFrom(spawn('/usr/bin/mmdebstrap', words, { stdio: ['ignore', 'pipe', 'pipe'] }), 'mmdebstrap')
  writeFileSync(join(draft, 'complete'), '')
  renameSync(draft, folder)
}

async function heardFrom(child: ChildProcess, name: string): Promise<string> {
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${name} ended with code ${code}: ${said.slice(-2000)}`)
  return said
}
