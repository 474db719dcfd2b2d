import childProcess, { type ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, afterEach, expect, inject, type RunnerTestSuite } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the files of this project say that they start processes. */
    readonly startsProcesses: boolean
  }
}

// Runs before each test file: a unit test that starts a process fails, and so does a file that claims to start some and does not.
const { spawnSync, execFileSync, execSync } = childProcess
let started = 0
const children: ChildProcess[] = []
let file: RunnerTestSuite | undefined
const note = (): void => void started++
const noting = <Run extends (...words: never[]) => unknown>(run: Run): Run =>
  ((...words: Parameters<Run>) => {
    note()
    return run(...words)
  }) as unknown as Run

const noteChild = (message: unknown): void => {
  note()
  children.push((message as { process: ChildProcess }).process)
}
subscribe('child_process', noteChild)
Object.assign(childProcess, { spawnSync: noting(spawnSync), execFileSync: noting(execFileSync), execSync: noting(execSync) })
syncBuiltinESMExports()

const expectNone = (): void =>
  expect(started, 'processes that a unit test started: its file needs the line "// @module-tag process"').toBe(0)

afterEach(({ task }) => {
  file = task.file
  if (!inject('startsProcesses')) expectNone()
})

afterAll(() => {
  unsubscribe('child_process', noteChild)
  Object.assign(childProcess, { spawnSync, execFileSync, execSync })
  syncBuiltinESMExports()
  // A test that failed may have left a gateway.
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  if (!inject('startsProcesses')) expectNone()
  else if (file && allPassed(file)) expect(started, 'no process was started: "// @module-tag process" is wrong here').toBeGreaterThan(0)
})

// It keeps one process for all that follow: a file that builds has to be seen to start it.
if (inject('startsProcesses')) afterAll(async () => (await import('esbuild')).stop())

/** Whether every test ran: one that was skipped or failed may be the one that starts a process. */
function allPassed({ tasks }: RunnerTestSuite): boolean {
  return tasks.every((task) => (task.type === 'suite' ? allPassed(task) : task.result?.state === 'pass'))
}
