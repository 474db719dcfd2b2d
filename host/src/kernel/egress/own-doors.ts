import { readdir, readFile, readlink } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'

export type IsOwnDoor = (address: string, port: number) => Promise<boolean>

/** Where a debugger of Node listens. */
const debuggerPort = 9229

/** Whether an address and a port belong to a program of the agent on this machine: its API, its callbacks, its debugger. */
export async function isOwnDoor(address: string, port: number): Promise<boolean> {
  if (!isThisMachine(address)) return false
  return port === debuggerPort || port === process.debugPort || (await listOwnPorts()).has(port)
}

function isThisMachine(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (plain.startsWith('127.') || plain === '0.0.0.0' || plain === '::' || plain === '::1' || /^::ffff:/i.test(plain)) return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === plain))
}

/** Ports on which this process listens, and others that run the same program: the gateway beside a terminal, those of other homes. */
async function listOwnPorts(): Promise<ReadonlySet<number>> {
  const listening = await readListening()
  const ports = new Set<number>()
  for (const pid of await findOwnProcesses()) {
    for (const inode of await readSockets(pid)) {
      const port = listening.get(inode)
      if (port !== undefined) ports.add(port)
    }
  }
  return ports
}

async function findOwnProcesses(): Promise<readonly string[]> {
  const self = String(process.pid)
  const program = process.argv[1]
  if (program === undefined) return [self]
  const pids = (await orNone(readdir('/proc'), [])).filter((name) => /^\d+$/.test(name) && name !== self)
  const words = await Promise.all(pids.map(async (pid) => (await orNone(readFile(`/proc/${pid}/cmdline`, 'utf8'), '')).split('\0')))
  return [self, ...pids.filter((_, index) => words[index]?.slice(0, 8).includes(program))]
}

/** Inodes of the sockets that a process holds. */
async function readSockets(pid: string): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`
  const links = await Promise.all((await orNone(readdir(folder), [])).map((fd) => orNone(readlink(`${folder}/${fd}`), '')))
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

/** Ports by the inodes of the sockets that listen. */
async function readListening(): Promise<ReadonlyMap<string, number>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => orNone(readFile(`/proc/self/net/${name}`, 'latin1'), '')))
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
  return new Map(
    rows.filter(([, , , state]) => state === '0A').map((row) => [row[9] ?? '', Number.parseInt(row[1]?.split(':')[1] ?? '', 16)]),
  )
}

/** What ends while it is looked at has no doors; a system without these tables tells nothing. */
async function orNone<T>(read: Promise<T>, none: T): Promise<T> {
  return read.catch(() => none)
}
