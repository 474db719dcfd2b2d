import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A `systemctl` that is found first, keeps to the unit files of one home folder, and starts what they say. */
export interface FakeSystemctl {
  /** The process environment with it in front. */
  readonly environment: Readonly<Record<string, string>>
  /** What it was told, a line each. */
  calls(): readonly string[]
  /** What `systemctl --user start` does at a login. */
  readonly program: string
}

/** `broken` names a verb that fails. */
export function openFakeSystemctl(folder: string, { broken = '' } = {}): FakeSystemctl {
  const bin = join(folder, 'fake-bin')
  const program = join(bin, 'systemctl')
  const log = join(folder, 'systemctl.log')
  mkdirSync(bin)
  writeFileSync(log, '')
  writeFileSync(program, `#!${process.execPath}\nconst facts = ${JSON.stringify({ folder, log, broken })}\n${script}`, { mode: 0o755 })
  return {
    environment: { PATH: `${bin}:${process.env.PATH ?? '/usr/bin:/bin'}` },
    calls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    program,
  }
}

// Reads a unit as systemd does: quotes, backslashes and doubled percent signs; the process gets what the unit names and HOME.
const script = String.raw`
const { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
const { spawn } = require('node:child_process')
const { join } = require('node:path')
const [user, verb, ...rest] = process.argv.slice(2)
appendFileSync(facts.log, process.argv.slice(2).join(' ') + '\n')
const stop = (text) => { process.stderr.write(text + '\n'); process.exit(1) }
if (user !== '--user' || verb === facts.broken) stop('Failed to ' + verb + ' unit: it is broken.')
const units = join(facts.folder, '.config', 'systemd', 'user')
const unit = rest.at(-1) ?? ''
const wants = join(units, 'default.target.wants')
const pidFile = join(facts.folder, unit + '.pid')
const words = (line) => [...line.matchAll(/"((?:\\.|[^"\\])*)"|\S+/g)].map(([all, inner]) => (inner === undefined ? all : inner.replace(/\\(.)/g, '$1')).replaceAll('%%', '%'))
const verbs = {
  'daemon-reload': () => {},
  enable: () => { mkdirSync(wants, { recursive: true }); if (!existsSync(join(wants, unit))) symlinkSync(join(units, unit), join(wants, unit)) },
  start: () => {
    const lines = readFileSync(join(units, unit), 'utf8').split('\n')
    const values = (key) => lines.filter((line) => line.startsWith(key + '=')).flatMap((line) => words(line.slice(key.length + 1).replace(/^:/, '')))
    const env = Object.fromEntries(values('Environment').map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]))
    const [command, ...args] = values('ExecStart')
    const child = spawn(command, args, { env: { HOME: facts.folder, ...env }, detached: true, stdio: 'ignore' })
    if (rest[0] !== '--wait') child.unref()
    writeFileSync(pidFile, String(child.pid))
  },
  disable: () => {
    rmSync(join(wants, unit), { force: true })
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0
    const end = () => { try { process.kill(pid, 0); setTimeout(end, 20) } catch { rmSync(pidFile, { force: true }) } }
    if (pid && rest[0] === '--now') { try { process.kill(pid, 'SIGTERM') } catch {} end() }
  },
}
if (!Object.hasOwn(verbs, verb) || (unit && !existsSync(join(units, unit)))) stop('Unit ' + unit + ' or verb ' + verb + ' not found.')
verbs[verb]()
`
