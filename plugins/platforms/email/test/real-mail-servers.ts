import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sayMissing } from '../../../../test/support/needs.ts'

const imapProgram = '/usr/sbin/dovecot'
const smtpProgram = '/usr/sbin/smtpd'
const isThere = existsSync(imapProgram) && existsSync(smtpProgram) && process.getuid?.() === 0

/** How to get the servers where they are missing; undefined where they are there, or where missing ones have to fail the run. */
export const mailServersMissing: string | undefined =
  isThere || process.env.CI ? undefined : sayMissing('dovecot or opensmtpd, or the rights of root,', 'dovecot-imapd opensmtpd')

/** A real IMAP server and a real SMTP server on free ports of this machine; the second delivers into the mailboxes of the first. */
export interface MailServers extends AsyncDisposable {
  readonly imapPort: number
  readonly smtpPort: number
  /** Their versions, as they say themselves. */
  readonly banner: string
  /** Everybody's password. */
  readonly password: string
  /** File with the certificate of the IMAP server, which it gave itself for `localhost`; there with `tls` only. */
  readonly certificate: string
  /** Somebody sends a message: the lines of its head, an empty one, its body. */
  write(from: string, to: string, lines: readonly string[]): Promise<void>
  /** Messages in the inbox of somebody, as they lie there; oldest first. */
  read(address: string): readonly string[]
  /** What the IMAP server wrote down. */
  log(): string
  /** Ends the IMAP server without a farewell. */
  killImap(): Promise<void>
  restartImap(): Promise<void>
}

/** The user `nobody` of Debian: neither server works for root. */
const nobody = 65_534
const password = 'right-password'

/** People have mailboxes under the local part of their address. With `tls` the IMAP server offers STARTTLS; the SMTP server of Debian 12 cannot, with its OpenSSL. */
export async function openMailServers(addresses: readonly string[], { tls = false } = {}): Promise<MailServers> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-mail-'))
  // Their processes run as several users, who have to come this way.
  chmodSync(folder, 0o755)
  const boxes = join(folder, 'mail')
  mkdirSync(boxes)
  chownSync(boxes, nobody, nobody)
  if (tls) createCertificate(folder)
  const home = (address: string): string => join(boxes, address.slice(0, address.indexOf('@')))
  const users = addresses.map((address) => `${address}:{PLAIN}${password}:${nobody}:${nobody}::${home(address)}::\n`)
  writeFileSync(join(folder, 'users'), users.join(''))
  const [imapPort, smtpPort] = [await freePort(), await freePort()]
  writeFileSync(join(folder, 'dovecot.conf'), imapConfiguration(folder, imapPort, tls))
  writeFileSync(join(folder, 'smtpd.conf'), smtpConfiguration(folder, smtpPort), { mode: 0o600 })
  const imap = createDaemon(imapProgram, ['-F', '-c', join(folder, 'dovecot.conf')], imapPort)
  const smtp = createDaemon(smtpProgram, ['-d', '-f', join(folder, 'smtpd.conf')], smtpPort)
  const close = async (): Promise<void> => {
    await Promise.all([imap.stop(), smtp.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all([imap.start(), smtp.start()])
  } catch (error) {
    await close()
    throw error
  }
  return {
    imapPort,
    smtpPort,
    banner: `dovecot ${versionOf(imapProgram, '--version')}, ${versionOf(smtpProgram, '-h')}`,
    password,
    certificate: join(folder, 'cert.pem'),
    write: (from, to, lines) => sendMail(smtpPort, from, to, lines),
    read: (address) => readInbox(join(home(address), 'Maildir')),
    log: () => readFileSync(join(folder, 'dovecot.log'), 'utf8'),
    killImap: imap.stop,
    restartImap: imap.start,
    [Symbol.asyncDispose]: close,
  }
}

function versionOf(program: string, option: string): string {
  // One of them says it where errors go, and fails.
  const command = `${program} ${option} 2>&1 || true`
  const said = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] })
  return said.split('\n')[0]?.replace('version: ', '') ?? ''
}

function createCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  const about = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', ...about, ...files], { timeout: 20_000, stdio: 'ignore' })
  chmodSync(join(folder, 'key.pem'), 0o600)
}

function imapConfiguration(folder: string, port: number, tls: boolean): string {
  return `base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
protocols = imap
ssl = ${tls ? 'yes' : 'no'}
${tls ? `ssl_cert = <${folder}/cert.pem\nssl_key = <${folder}/key.pem` : ''}
disable_plaintext_auth = no
auth_failure_delay = 0
default_login_user = nobody
default_internal_user = nobody
default_internal_group = nogroup
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {
  driver = passwd-file
  args = scheme=plain username_format=%u ${folder}/users
}
userdb {
  driver = passwd-file
  args = username_format=%u ${folder}/users
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \\Sent
    auto = subscribe
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`
}

function smtpConfiguration(folder: string, port: number): string {
  return `table everybody { "@" = "nobody" }
listen on 127.0.0.1 port ${port} hostname mail.test
action "deliver" maildir "${folder}/mail/%{dest.user:lowercase}/Maildir" virtual <everybody>
match from any for any action "deliver"
`
}

interface Daemon {
  start(): Promise<void>
  stop(): Promise<void>
}

function createDaemon(program: string, args: readonly string[], port: number): Daemon {
  let child: ChildProcess | undefined
  return {
    start: async () => {
      child = spawn(program, args, { stdio: 'ignore', timeout: 180_000, killSignal: 'SIGTERM' })
      await listening(program, port, child)
    },
    // Asked to end, dovecot takes a second, and leaves those who serve somebody to themselves for ten.
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      // Held, it starts nobody more.
      child.kill('SIGSTOP')
      for (const pid of childrenOf(child.pid)) process.kill(pid, 'SIGKILL')
      child.kill('SIGKILL')
      await gone
    },
  }
}

function childrenOf(parent: number | undefined): readonly number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && readParent(pid) === String(parent))
    .map(Number)
}

function readParent(pid: string): string | undefined {
  try {
    return /^PPid:\t(\d+)$/m.exec(readFileSync(join('/proc', pid, 'status'), 'utf8'))?.[1]
  } catch {
    // It ended meanwhile.
    return undefined
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function listening(program: string, port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (open) return
    await sleep(25)
  }
  throw new Error(`${program} does not listen on ${port}`)
}

function readInbox(maildir: string): readonly string[] {
  return ['cur', 'new']
    .map((name) => join(maildir, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).map((name) => ({ name, text: readFileSync(join(path, name), 'utf8') })))
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ text }) => text.replaceAll('\r\n', '\n'))
}

async function sendMail(port: number, from: string, to: string, lines: readonly string[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    const body = lines.map((line) => line.replace(/^\./, '..')).join('\r\n')
    const commands = ['EHLO person.test', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA', `${body}\r\n.`, 'QUIT']
    await reply(socket)
    for (const command of commands) {
      socket.write(`${command}\r\n`)
      const answer = await reply(socket)
      if (!/^[23]/.test(answer)) throw new Error(`The server answered ${answer.trim()} to ${command.split('\r\n')[0]}.`)
    }
  } finally {
    socket.destroy()
  }
}

/** One reply, which may have several lines. */
async function reply(socket: Socket): Promise<string> {
  let text = ''
  while (!/^\d{3} .*\r\n$/m.test(text)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString()
  }
  return text
}
