import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { basename, join, resolve } from 'node:path'

export type IsOwnDoor = (address: string, port: number) => Promise<boolean>

/** Where a debugger of Node listens. */
const debuggerPort = 9229

interface Looking {
  /** What this process runs. */
  readonly program?: string | undefined
  /** Where the system tells of its processes. */
  readonly proc?: string
  /** Where the debugger of this process would listen. */
  readonly debugPort?: number
}

/** Whether an address and a port belong to a program of the agent on this machine: its API, its callbacks, its debugger. */
export async function isOwnDoor(address: string, port: number, looking: Looking = {}): Promise<boolean> {
  if (!isThisMachine(address)) return false
  const { debugPort = process.debugPort } = looking
  return port === debuggerPort || port === debugPort || (await listOwnPorts(looking)).has(port)
}

function isThisMachine(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (plain.startsWith('127.') || plain === '0.0.0.0' || plain === '::' || plain === '::1' || /^::ffff:/i.test(plain)) return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === plain))
}

/** Ports on which this process listens, and others that run the same program: the gateway beside a terminal, those of other homes. */
async function listOwnPorts({ program = process.argv[1], proc = '/proc' }: Looking): Promise<ReadonlySet<number>> {
  const listening = await readListening(proc)
  const ports = new Set<number>()
  for (const pid of await findOwnProcesses(program, proc)) {
    for (const inode of await readSockets(join(proc, pid, 'fd'))) {
      const port = listening.get(inode)
      if (port !== undefined) ports.add(port)
    }
  }
  return ports
}

async function findOwnProcesses(program: string | undefined, proc: string): Promise<readonly string[]> {
  const self = String(process.pid)
  if (program === undefined) return [self]
  const pids = (await orNone(readdir(proc), [])).filter((name) => /^\d+$/.test(name) && name !== self)
  const real = await realOf(program)
  const runs = async (pid: string): Promise<boolean> => {
    const words = (await orNone(readFile(join(proc, pid, 'cmdline'), 'utf8'), '')).split('\0').slice(0, firstWords)
    const named = words.filter((word) => programNames.includes(basename(word)))
    if (named.length === 0) return words.includes(program)
    const cwd = await orNone(readlink(join(proc, pid, 'cwd')), '/')
    return (await Promise.all(named.map((word) => realOf(resolve(cwd, word))))).includes(real)
  }
  const found = await Promise.all(pids.map(runs))
  return [self, ...pids.filter((_, index) => found[index])]
}

/** Flags of Node, then the program. */
const firstWords = 8
/** Under these names it is started: by its own path, or by the link that an installation makes. */
const programNames = ['agent', 'agent.mjs']
const realOf = (path: string): Promise<string> => orNone(realpath(path), path)

/** Inodes of the sockets that a process holds. */
async function readSockets(folder: string): Promise<readonly string[]> {
  const links = await Promise.all((await orNone(readdir(folder), [])).map((fd) => orNone(readlink(join(folder, fd)), '')))
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

/** Ports by the inodes of the sockets that listen. */
async function readListening(proc: string): Promise<ReadonlyMap<string, number>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => orNone(readFile(join(proc, 'self', 'net', name), 'latin1'), '')))
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
  return new Map(
    rows.filter(([, , , state]) => state === '0A').map((row) => [row[9] ?? '', Number.parseInt(row[1]?.split(':')[1] ?? '', 16)]),
  )
}

/** What ends while it is looked at has no doors; a system without these tables tells nothing. */
async function orNone<T>(read: Promise<T>, none: T): Promise<T> {
  return read.catch(() => none)
}
