import type { ChildProcess, SpawnOptions, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { endTogether } from './end-together.ts'

/** Processes that are none; `end-together.test.ts` starts real ones. */
function open({ pid }: { readonly pid: number | undefined } = { pid: 70 }) {
  const did: unknown[] = []
  const stdin = Object.assign(new PassThrough(), { unref: () => did.push('unref pipe') })
  const watcher = Object.assign(new EventEmitter(), {
    stdin,
    unref: () => did.push('unref'),
    kill: (signal: string) => did.push(`kill ${signal}`),
  })
  const child = Object.assign(new EventEmitter(), { pid })
  const troubles: string[] = []
  const start = ((file: string, words: readonly string[], options: SpawnOptions) => {
    did.push([file, words[0], words.slice(2), options])
    return watcher
  }) as unknown as typeof spawn
  endTogether(child as ChildProcess, (detail) => troubles.push(detail), start)
  return { child, watcher, stdin, did, troubles }
}

test('a shell of a group for itself waits for the end of a pipe, and keeps this process from ending no longer than that', () => {
  const options = { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] }
  expect(open().did).toEqual([['/bin/sh', '-c', ['agent-watch', '70'], options], 'unref', 'unref pipe'])
  expect(open({ pid: undefined }).did).toEqual([])
})

test('it goes away with the child that it watches, since the number may be that of another soon', () => {
  const { child, did } = open()
  child.emit('exit')
  expect(did.at(-1)).toBe('kill SIGKILL')
})

test('a shell that cannot be started is trouble, a pipe that breaks is none', () => {
  const { watcher, stdin, troubles } = open()
  stdin.emit('error', new Error('EPIPE'))
  watcher.emit('error', new Error('no such program'))
  expect(troubles).toEqual(['it would outlive an agent that is killed: no such program'])
})
