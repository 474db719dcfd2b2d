import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../../../test/support/free-port.ts'
import { sayMissing } from '../../../../test/support/needs.ts'

const program = '/usr/sbin/ngircd'

/** How to get the server where it is missing; undefined where it is there. */
export const ngircdLacks: string | undefined = existsSync(program) ? undefined : sayMissing('ngircd', 'ngircd')

/** The same for tests that are skipped without it; undefined too where a missing one has to fail the run. */
export const ngircdMissing: string | undefined = process.env.CI ? undefined : ngircdLacks

/** A real IRC server on a free port of this machine. */
export interface Ngircd extends AsyncDisposable {
  readonly port: number
  /** Its version, as it says itself. */
  readonly banner: string
  /** Ends it without a farewell. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
}

/** Slows nobody down, so that tests are quick, and has an invite-only channel `#closed`. */
export async function openNgircd({ password = '' } = {}): Promise<Ngircd> {
  const banner =
    execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 5000, stdio: ['ignore', 'pipe', 'pipe'] }).split('\n')[0] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'agent-ngircd-'))
  // Started by root it goes on as another user, who has to read its file.
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  const file = join(folder, 'ngircd.conf')
  writeFileSync(file, configuration(port, password))
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = spawn(program, ['-n', '-f', file], { stdio: 'ignore', timeout: 120_000, killSignal: 'SIGKILL' })
    await listening(port, child)
  }
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const close = async (): Promise<void> => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  await start().catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { port, banner, kill, restart: start, [Symbol.asyncDispose]: close }
}

function configuration(port: number, password: string): string {
  return `[Global]
Name = irc.test
Info = Server of a test
Listen = 127.0.0.1
Ports = ${port}
${password === '' ? '' : `Password = ${password}`}
[Limits]
MaxNickLength = 20
MaxConnectionsIP = 0
MaxPenaltyTime = 0
[Options]
PAM = no
Ident = no
DNS = no
[Channel]
Name = #closed
Modes = i
`
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`ngircd ended with code ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (open) return
    await sleep(25)
  }
  throw new Error(`ngircd does not listen on ${port}`)
}
