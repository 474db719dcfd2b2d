import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openExtensionRig } from './extension-rig.ts'
import { formatHostileTool, type HostileAims, hostileActs } from './hostile-acts.ts'

/** What became of the acts that were tried. */
export interface Tried {
  readonly tried: number
  readonly succeeded: readonly string[]
  /** What acts were to leave alone, and did not. */
  readonly harm: readonly string[]
}

const reason = 'made up'
const widest = {
  net: { value: ['any', 'private'], reason },
  fs: { value: { read: ['/'], write: ['$workspace'] }, reason },
  run: { value: ['any'], reason },
}

/** Lets hostile plugins try their acts, without the limits of Node: what holds then is the sandbox alone. Without one, what would harm this machine is left out. */
export async function tryActs(program: string, kind: keyof typeof hostileActs, sandbox: 'auto' | 'off'): Promise<Tried> {
  const acts = hostileActs[kind].filter(({ harms }) => sandbox === 'auto' || !harms)
  const person = realpathSync(mkdtempSync(join(tmpdir(), 'person-')))
  // Without a sandbox no plugin has one.
  const door = mkdtempSync(join(tmpdir(), `agent-door-${process.pid}-`))
  const servers: Server[] = []
  const mark = `secret-of-${process.pid}`
  const other = spawn('/bin/sleep', ['300'], { stdio: 'ignore', env: { MARK: mark } })
  const redirect = await startRedirect()
  try {
    const plugins = [
      { id: 'hostile', tool: formatHostileTool(acts), ...(kind === 'wide' && { manifest: { permissions: widest } }) },
      { id: 'neighbour', manifest: { permissions: { net: { value: ['example.org'], reason } } } },
    ]
    const folders = { person: { folder: person, homes: [] } }
    await using rig = await openExtensionRig({ program, plugins, sandbox, flags: new Set(), ...folders })
    const { home, write } = rig.folder
    write(join(person, '.ssh', 'id_ed25519'), 'a key')
    for (const file of ['.env', 'config.yaml', 'profiles/work/.env', 'plugins/data/other/note.txt']) write(join(home, file), 'SECRET=1')
    const socket = join(home, 'gateway.sock')
    await listen(servers, socket)
    const [apiPort, anyPort] = [await listen(servers, { host: '127.0.0.1' }), await listen(servers, { host: '::' })]
    redirect.lead(apiPort)
    await rig.run('neighbour')
    const aims: HostileAims = {
      ...{ person, home, socket, mark, apiPort, anyPort, program, redirectPort: redirect.port },
      ...{ agentPid: process.pid, otherPid: other.pid ?? 0, abstract: `agent-test-${process.pid}`, ownAddress: findOwnAddress() },
    }
    const succeeded = JSON.parse(await rig.run('hostile', aims)) as readonly string[]
    const harm = other.exitCode === null && other.signalCode === null ? [] : ['the program beside the agent was ended']
    return { tried: acts.length, succeeded, harm }
  } finally {
    for (const server of servers) server.close()
    for (const child of [other, redirect.child]) child.kill('SIGKILL')
    for (const folder of [person, door]) rmSync(folder, { recursive: true, force: true })
  }
}

async function listen(servers: Server[], where: string | { readonly host: string }): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  servers.push(server)
  await once(typeof where === 'string' ? server.listen(where) : server.listen({ ...where, port: 0 }), 'listening')
  return (server.address() as AddressInfo).port
}

const redirecting = `let to
process.stdin.on('data', (text) => (to = String(text).trim()))
const server = require('node:http').createServer((_, answer) => answer.writeHead(302, { location: 'http://127.0.0.1:' + to }).end())
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** A server that is no program of the agent. */
async function startRedirect(): Promise<{ readonly child: ChildProcess; readonly port: number; lead(port: number): void }> {
  const child = spawn(process.execPath, ['-e', redirecting], { stdio: ['pipe', 'pipe', 'ignore'] })
  const port = Number(String((await once(child.stdout, 'data'))[0]))
  return { child, port, lead: (to) => void child.stdin.write(`${to}\n`) }
}

function findOwnAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
}
