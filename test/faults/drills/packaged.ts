import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AgentRun, runAgent, startAgent } from '../../support/run-agent.ts'
import type { TestHome } from '../../support/test-home.ts'
import { writePackage } from '../../support/write-tar.ts'
import { faultyFolder, faultyPlugin } from './faulty-folder.ts'

const archiveOf = (home: TestHome, version: string): string => join(home.folder, `faulty-${version}.tgz`)

/** Makes a package of the faulty plugin; its folder goes. */
export function pack(home: TestHome, version = '1.0.0', entry?: string): void {
  const folder = join(home.folder, 'unpacked')
  if (existsSync(faultyFolder(home))) {
    mkdirSync(join(folder, 'dist'), { recursive: true })
    for (const file of ['agent.plugin.json', 'dist/platform.js'])
      writeFileSync(join(folder, file), readFileSync(join(faultyFolder(home), file)))
    rmSync(faultyFolder(home), { recursive: true })
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'agent.plugin.json'), 'utf8')) as object
  const files = {
    'agent.plugin.json': JSON.stringify({ ...manifest, version }),
    'package.json': JSON.stringify({ name: 'agent-plugin-faulty', version, type: 'module' }),
    'dist/platform.js': entry ?? readFileSync(join(folder, 'dist', 'platform.js'), 'utf8'),
  }
  writeFileSync(archiveOf(home, version), writePackage(files))
}

const words = (home: TestHome, version: string): readonly string[] => ['plugins', 'install', `file:${archiveOf(home, version)}`]

/** What has to be agreed to. */
async function readHash(home: TestHome, version: string): Promise<{ readonly out: string; readonly hash: string | undefined }> {
  const { out } = await runAgent(home, [...words(home, version), '--json'])
  return { out, hash: /"hash": "([0-9a-f]+)"/.exec(out)?.[1] }
}

async function install(home: TestHome, version = '1.0.0'): Promise<AgentRun> {
  const { out, hash } = await readHash(home, version)
  // A person who has agreed to as much already is not asked again.
  if (hash === undefined) return { code: /"error"/.test(out) ? 1 : 0, signal: null, out, note: '' }
  return runAgent(home, [...words(home, version), '--accept', hash])
}

export async function installPacked(home: TestHome): Promise<void> {
  pack(home)
  const { code, out, note } = await install(home)
  if (code !== 0) throw new Error(`The faulty plugin could not be installed: ${out}${note}`)
}

export async function modifyInstalled(home: TestHome): Promise<void> {
  await installPacked(home)
  appendFileSync(join(await storedFolder(home), 'dist', 'platform.js'), '\n// changed\n')
}

export async function deleteInstalled(home: TestHome): Promise<void> {
  await installPacked(home)
  rmSync(await storedFolder(home), { recursive: true })
}

async function storedFolder(home: TestHome): Promise<string> {
  const { out } = await runAgent(home, ['plugins', 'info', faultyPlugin, '--json'])
  const { plugins } = JSON.parse(out) as { plugins: readonly { readonly root: string }[] }
  return plugins[0]?.root ?? ''
}

/** The version that works stays. */
export async function updateToBroken(home: TestHome): Promise<void> {
  pack(home, '1.0.1', "throw new Error('thrown at import')")
  const { code } = await install(home, '1.0.1')
  if (code === 0) throw new Error('A version that cannot be loaded was installed.')
}

/** No file may grow beyond 4 KiB, as on a disk that is full. */
export async function installOnFullDisk(home: TestHome): Promise<void> {
  const { hash = '' } = await readHash(home, '1.0.0')
  const { code } = await runAgent(home, [...words(home, '1.0.0'), '--accept', hash], {
    wrapper: ['bash', '-c', 'ulimit -f 4; exec "$@"', 'bash'],
  })
  if (code === 0) throw new Error('An install on a full disk says that it worked.')
  expectNothing(home)
}

/** Killed at several moments, then installed. */
export async function killInstalls(home: TestHome): Promise<void> {
  const { hash = '' } = await readHash(home, '1.0.0')
  for (const afterMs of [250, 350, 450, 600]) {
    const agent = startAgent(home, [...words(home, '1.0.0'), '--accept', hash])
    await pause(afterMs)
    agent.child.kill('SIGKILL')
    await agent.ended
    const { code, note } = await runAgent(home, ['plugins', 'list'])
    if (code !== 0) throw new Error(`After a killed install: ${note}`)
  }
  const { code, note } = await install(home)
  if (code !== 0) throw new Error(`An install after a killed one: ${note}`)
  if (existsSync(join(home.home, 'plugins', '.staging'))) throw new Error('A killed install left its folder.')
}

function expectNothing(home: TestHome): void {
  for (const name of ['plugins.lock.json', 'store', '.staging']) {
    if (existsSync(join(home.home, 'plugins', name))) throw new Error(`A failed install left ${name}.`)
  }
}
