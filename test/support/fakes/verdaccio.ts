import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { detailOf } from '@agent/plugin-sdk/errors'
import { findNpm } from '../../../host/src/kernel/package/run-npm.ts'
import { findFreePort } from '../free-port.ts'
import { writePackage } from '../write-tar.ts'

const run = promisify(execFile)
const version = '6.8.0'
/** Its dependency asks for a tag that not every registry has. */
const wanted = { private: true, dependencies: { verdaccio: version }, overrides: { 'node-fetch': '2.7.0' } }
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent', 'ci', `verdaccio-${version}`)
const program = join(cache, 'node_modules', 'verdaccio', 'bin', 'verdaccio')

/** A real npm registry on a free port of this machine, empty and without another one behind it. */
export interface Registry extends AsyncDisposable {
  readonly url: string
  /** Its version, as it says itself. */
  readonly banner: string
  /** Lines of an `.npmrc` with which everybody may read and publish. */
  readonly npmrc: string
  /** What those lines prove themselves by. */
  readonly token: string
  /** Publishes a package of these files with the request of `npm publish`: npm itself would be a second of work each time. */
  publish(files: Readonly<Record<string, string>>): Promise<void>
  /** The same for a folder; what it builds with has to have been built. */
  publishFolder(path: string): Promise<void>
}

/** Fetches the registry from the npm registry, once for this user. A sentence where that is impossible, unless that has to fail the run. */
export async function fetchVerdaccio(): Promise<string | undefined> {
  if (existsSync(program)) return undefined
  const draft = `${cache}.${process.pid}`
  try {
    mkdirSync(draft, { recursive: true })
    writeFileSync(join(draft, 'package.json'), JSON.stringify(wanted))
    await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], draft, { HOME: homedir() }, 180_000)
    if (!existsSync(program)) renameSync(draft, cache)
    return undefined
  } catch (error) {
    if (process.env.CI) throw error
    return `verdaccio is missing and cannot be fetched: ${detailOf(error).split('\n')[0]}`
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

export interface RegistryOptions {
  /** Only who is logged in may publish, as at npm's own registry; the lines of `.npmrc` are those of the person "ann". Names of `of-bob-` are another's. */
  readonly strict?: boolean
}

export async function openRegistry({ strict = false }: RegistryOptions = {}): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-registry-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/`
  writeFileSync(join(folder, 'config.yaml'), configuration(port, strict))
  const child = spawn(process.execPath, [program, '--config', join(folder, 'config.yaml')], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 300_000,
    killSignal: 'SIGKILL',
  })
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const ready = answering(`${url}-/ping`, child).then(() => (strict ? logIn(url) : 'anything'))
  const token = await ready.catch(async (error: unknown) => {
    await close()
    throw error
  })
  const npmrc = `registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\nfetch-retries=0\n`
  writeFileSync(join(folder, '.npmrc'), npmrc)
  const publishFolder = (path: string): Promise<void> =>
    npm(['publish', '--ignore-scripts', '--loglevel=error'], path, { HOME: folder }, 30_000)
  return {
    ...{ url, npmrc, token, [Symbol.asyncDispose]: close },
    banner: `verdaccio ${(JSON.parse(readFileSync(join(program, '..', '..', 'package.json'), 'utf8')) as { version: string }).version}`,
    publishFolder,
    publish: (files) => publishFiles(url, token, files),
  }
}

/** Makes a person of the registry, as `npm adduser` does, and answers the token of it. */
async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}-/user/org.couchdb.user:ann`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ann', password: 'a-password-of-ann', email: 'ann@example.org', type: 'user' }),
  })
  const { token } = (await response.json()) as { readonly token?: string }
  if (token === undefined) throw new Error(`verdaccio lets nobody in: ${response.status}`)
  return token
}

async function publishFiles(url: string, token: string, files: Readonly<Record<string, string>>): Promise<void> {
  const about = JSON.parse(files['package.json'] ?? '{}') as { readonly name: string; readonly version: string }
  const { name, version } = about
  const content = writePackage(files)
  const digest = (kind: string, form: 'base64' | 'hex'): string => createHash(kind).update(content).digest(form)
  const file = `${name}-${version}.tgz`
  const dist = { integrity: `sha512-${digest('sha512', 'base64')}`, shasum: digest('sha1', 'hex'), tarball: `${url}${name}/-/${file}` }
  const attachment = { content_type: 'application/octet-stream', data: content.toString('base64'), length: content.length }
  const response = await fetch(url + encodeURIComponent(name), {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      ...{ _id: name, name, 'dist-tags': { latest: version }, _attachments: { [file]: attachment } },
      versions: { [version]: { ...about, _id: `${name}@${version}`, dist } },
    }),
  })
  if (!response.ok) throw new Error(`verdaccio does not take ${name} ${version}: ${await response.text()}`)
}

async function npm(words: readonly string[], cwd: string, environment: Readonly<Record<string, string>>, timeout: number): Promise<void> {
  const env = { PATH: process.env.PATH, ...environment }
  await run(process.execPath, [findNpm({ PATH: process.env.PATH }), ...words], { cwd, env, timeout, killSignal: 'SIGKILL' })
}

const configuration = (port: number, strict: boolean): string => `storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
uplinks: {}
packages:
  'of-bob-*':
    access: $all
    publish: bob
  '**':
    access: $all
    publish: ${strict ? '$authenticated' : '$all'}
    unpublish: $all
web:
  enable: false
log: { type: stdout, format: pretty, level: error }
listen: 127.0.0.1:${port}
# A request that comes when its server has just given up waiting would be lost.
server: { keepAliveTimeout: 600 }
`

async function answering(url: string, child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) throw new Error(`verdaccio ended with code ${child.exitCode}: ${complaint}`)
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (ok) return
    await sleep(50)
  }
  throw new Error(`verdaccio does not answer: ${complaint}`)
}
