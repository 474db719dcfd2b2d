import { duplexPair } from 'node:stream'
import { systemClock } from '../../clock.ts'
import { pipeLink } from '../border.ts'
import type { ChildCommand } from '../child-command.ts'
import type { ChildEnd, StartChild } from '../child-process.ts'
import { type PluginServer, servePlugins } from '../serve-plugins.ts'

/** A child that is no process: both ends of its pipe are in the test. */
export interface InProcessChild {
  readonly pid: number
  readonly command: ChildCommand
  readonly server: PluginServer
  /** What it says of its memory, in bytes. */
  bytes: number
  killed: boolean
  /** It is over, however it ended. */
  over: boolean
  /** Prints a line. */
  say(line: string): void
  /** Writes bytes of the test to the host. */
  write(bytes: Uint8Array): void
  /** Ends like a process that crashes. */
  crash(detail?: string): void
}

/** Serves plugins as a child does, without a process. */
export function createChildrenInProcess(): { readonly start: StartChild; readonly children: readonly InProcessChild[] } {
  const children: InProcessChild[] = []
  const start: StartChild = async (command, { onLine }) => {
    const [ours, theirs] = duplexPair()
    // A pipe that one side has ended is closed.
    theirs.on('end', () => stop('its process ended with code 0'))
    let onEnd = (_end: ChildEnd): void => undefined
    const ended = new Promise<ChildEnd>((resolve) => (onEnd = resolve))
    const stop = (detail: string): void => {
      child.over = true
      ours.destroy()
      theirs.destroy()
      onEnd({ detail, before: false })
    }
    const server = servePlugins({
      ...{ link: pipeLink(theirs), clock: systemClock, fetch, memory: () => child.bytes, resources: () => ['Timeout'] },
      importModule: (url) => import(/* @vite-ignore */ url),
    })
    const child: InProcessChild = {
      ...{ pid: 5_000 + children.length, command, server, bytes: 1, killed: false, over: false, say: onLine },
      write: (bytes) => void theirs.write(bytes),
      crash: (detail = 'its process was ended by SIGABRT') => stop(detail),
    }
    children.push(child)
    const kill = (): void => {
      child.killed = true
      stop('its process was ended by SIGKILL')
    }
    return { pid: () => child.pid, pipe: ours, ended, kill, finish: async () => void (await ended) }
  }
  return { start, children }
}
