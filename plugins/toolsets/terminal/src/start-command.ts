import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import type { Exit } from './exit-words.ts'

export interface Start {
  readonly script: string
  readonly argument: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly stdin: 'ignore' | 'pipe'
  readonly clock: Clock
  onOutput(text: string): void
}

/** A shell and everything it started: one process group. */
export interface Running {
  readonly pid: number
  /** How the shell ended, after its output was read. Rejects when it could not be started. */
  readonly ended: Promise<Exit>
  readonly stdin: ChildProcess['stdin']
  /** True while any process of the group lives, also after the shell has ended. */
  alive(): boolean
  /** Ends the whole group: politely first, then by force. */
  stop(): Promise<void>
  /** Ends the whole group at once. */
  kill(): void
}

const politeness = 2000
/** A background process may hold the pipe open; output that was already written arrives well within this. */
const drain = 200

export function startCommand({ script, argument, folder, environment, stdin, clock, onOutput }: Start): Running {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  // Its input is a socket, for which bash would read the user's start-up file.
  const child = spawn(shell, [...(shell === '/bin/bash' ? ['--norc'] : []), '-c', script, shell, argument], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    stdio: [stdin, 'pipe', 'pipe'],
  })
  const decoder = new TextDecoder()
  child.stdout?.on('data', (bytes: Uint8Array) => onOutput(decoder.decode(bytes, { stream: true })))
  child.stderr?.on('data', (bytes: Uint8Array) => onOutput(Buffer.from(bytes).toString()))
  // A program that does not read its input any more is no failure of ours.
  child.stdin?.on('error', () => undefined)
  const pid = child.pid ?? 0
  const ended = untilEnded(child, clock)
  const signalGroup = (signal: NodeJS.Signals | 0): boolean => {
    if (pid === 0) return false
    try {
      return process.kill(-pid, signal)
    } catch {
      return false
    }
  }
  return {
    pid,
    ended,
    stdin: child.stdin,
    alive: () => signalGroup(0),
    kill: () => void signalGroup('SIGKILL'),
    async stop() {
      if (!signalGroup('SIGTERM')) return
      await isOverWithin({ clock, ms: politeness }, ended)
      if (signalGroup('SIGKILL')) await ended.catch(() => undefined)
    },
  }
}

function untilEnded(child: ChildProcess, clock: Clock): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      void isOverWithin({ clock, ms: drain }, once(child, 'close')).then(() => {
        // What is left running keeps its pipe, so that it does not die of it; nothing waits for it.
        for (const stream of [child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.()
        resolve({ code, signal })
      })
    })
  })
}
