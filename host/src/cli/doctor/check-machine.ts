import { once } from 'node:events'
import { existsSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'
import { systemClock } from '#kernel/clock.ts'
import { describeContainment, describeLack } from '#kernel/isolation/describe-containment.ts'
import { createSandbox } from '#kernel/sandbox/sandbox.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import type { OpenedCatalog } from '#rpc/home/open-catalog.ts'
import { broken, type Finding, fine, warn } from './finding.ts'

const mib = 1024 * 1024
const leastFreeMib = 50
const fewFreeMib = 500
/** The program is younger. */
const released = Date.UTC(2026, 0, 1)

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return fine('node', process.versions.node)
  return broken('node', process.versions.node, 'install Node 20.19 or newer')
}

export function checkClock(clock: Pick<Clock, 'now'> = systemClock): Finding {
  const now = new Date(clock.now())
  if (now.getTime() >= released) return fine('clock', now.toISOString())
  return broken('clock', `it is ${now.toISOString()} by this machine, so that certificates and signatures look wrong`, 'set the clock')
}

export function checkDisk({ home }: OpenedCatalog): Finding {
  // A home that is not made yet will lie on the disk of the folder above it.
  const { bavail, bsize } = statfsSync(existsSync(home.path) ? home.path : dirname(home.path))
  const free = Math.floor((Number(bavail) * Number(bsize)) / mib)
  const detail = `${free} MiB are free`
  if (free < leastFreeMib) return broken('disk', detail, `make room where ${home.path} lies`)
  return free < fewFreeMib ? warn('disk', detail, `make room where ${home.path} lies`) : fine('disk', detail)
}

/** Files with secrets and conversations that others on the machine could read. */
export function checkModes({ home }: OpenedCatalog): readonly Finding[] {
  if (process.platform === 'win32') return []
  return [home.files.env, home.files.config, home.files.state].flatMap((file) => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (mode & 0o077) === 0) return []
    return [warn('file modes', `others can read ${file} (${(mode & 0o777).toString(8).padStart(4, '0')})`, `chmod 600 ${file}`)]
  })
}

export async function checkSandbox({ loaded }: OpenedCatalog): Promise<Finding> {
  const wish = loaded.config.terminal.sandbox
  const level = await createSandbox({ clock: systemClock }).level()
  const detail = describeSandbox(level, wish)
  if (wish === 'off') return warn('sandbox', detail, 'agent config set terminal.sandbox auto')
  if (level.works) return fine('sandbox', detail)
  return wish === 'required' ? broken('sandbox', detail, level.fix) : warn('sandbox', detail, level.fix)
}

/** Said where plugins of others run. */
export async function checkPluginSandbox({ catalog, loaded }: OpenedCatalog): Promise<readonly Finding[]> {
  if (!catalog.plugins.some(({ state, isolation }) => state === 'ready' && isolation === 'bwrap')) return []
  const { plugins } = loaded.config
  const level = await createSandbox({ clock: systemClock }).level()
  const detail = describeContainment(level, plugins)
  const lack = describeLack(level)
  if (lack === undefined) return [fine('plugin sandbox', detail)]
  return [plugins.sandbox === 'required' ? broken('plugin sandbox', detail, lack.fix) : warn('plugin sandbox', detail, lack.fix)]
}

/** Whether a program that is none of ours has a port that the gateway wants. */
export async function checkPort(setting: string, host: string, port: number): Promise<readonly Finding[]> {
  if (port === 0) return []
  const server = createServer()
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening')
    return []
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const detail = code === 'EADDRINUSE' ? `${host}:${port} is taken by another program` : `${host}:${port} cannot be opened: ${message}`
    return [broken('ports', detail, `stop it, or change ${setting}`)]
  } finally {
    server.close()
  }
}
