import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import { createPipeTransport, type PipeTransport } from './pipe-transport.ts'

export interface ChromiumOptions {
  readonly file: string
  readonly headed: boolean
  /** It keeps pages in its own sandbox. */
  readonly sandbox: boolean
  /** The port on this machine through which everything goes. */
  readonly proxy: number
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Clock
}

export interface Chromium {
  readonly transport: PipeTransport
  readonly ended: Promise<unknown>
  /** What it said last, for a person who asks why it ended. */
  lastWords(): string
  close(): Promise<void>
}

/** A browser that is told to end has this long. */
const politenessMs = 2000
const mostWords = 2000

/** Starts the browser in a separate group, with a separate profile; closing ends the group and removes the profile. */
export async function startChromium({ file, clock, environment, ...options }: ChromiumOptions): Promise<Chromium> {
  await removeLeftProfiles()
  const profile = await mkdtemp(join(tmpdir(), `agent-browser-${process.pid}-`))
  // Where it shows no window it has nothing to look for in the person's home.
  const env = options.headed ? { ...environment } : { ...environment, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile }
  const child = spawn(file, flagsOf(options, profile), { env, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
  const ended = once(child, 'exit').catch(() => undefined)
  let words = ''
  const note = (text: string): void => {
    words = `${words}${text}`.slice(-mostWords)
  }
  child.stderr?.on('data', (bytes: Buffer) => note(bytes.subarray(-mostWords).toString('utf8')))
  const [, , , to, from] = child.stdio
  const transport = createPipeTransport(to as Writable, from as Readable, () => {
    note('\nA page sent more than anybody keeps.')
    endGroup(child)
  })
  // What it has started may outlive it, and is in its group.
  void ended.then(() => endGroup(child))
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    transport.send(JSON.stringify({ id: 2 ** 30, method: 'Browser.close' }))
    await isOverWithin({ clock, ms: politenessMs }, ended)
    endGroup(child)
    if (child.pid !== undefined) await ended
    // Something of the group may write a last file while it ends.
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  return {
    transport,
    ended,
    lastWords: () => words.trim(),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

function flagsOf({ headed, sandbox, proxy }: Pick<ChromiumOptions, 'headed' | 'sandbox' | 'proxy'>, profile: string): string[] {
  return [
    ...['--remote-debugging-pipe', `--user-data-dir=${profile}`, '--no-first-run', '--no-default-browser-check'],
    ...(headed ? [] : ['--headless=new', '--hide-scrollbars', '--mute-audio']),
    ...(sandbox ? [] : ['--no-sandbox']),
    // Nothing leaves but through the port, names are looked up there, and what cannot go through it does not go.
    ...[`--proxy-server=http://127.0.0.1:${proxy}`, '--proxy-bypass-list=<-loopback>', '--disable-quic'],
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ...['--webrtc-ip-handling-policy=disable_non_proxied_udp', '--force-webrtc-ip-handling-policy=disable_non_proxied_udp'],
    // It does nothing that no page asks for.
    ...[
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-default-apps',
      '--disable-extensions',
      '--disable-sync',
    ],
    ...['--disable-breakpad', '--disable-crash-reporter', '--no-pings', '--deny-permission-prompts', '--disable-notifications'],
    ...['--disable-dev-shm-usage', '--password-store=basic', '--use-mock-keychain', '--disable-search-engine-choice-screen'],
    '--disable-features=Translate,MediaRouter,DialMediaRouteProvider,OptimizationHints,AutofillServerCommunication,InterestFeedContentSuggestions',
    'about:blank',
  ]
}

/** A process that was killed could not remove the profile of its browser. */
async function removeLeftProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^agent-browser-(\d+)-/.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    // Where it is somebody else's it stays.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left.
  }
}
