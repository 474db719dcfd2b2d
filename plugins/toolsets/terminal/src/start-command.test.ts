// @module-tag process

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterAll, expect, test } from 'vitest'
import { startCommand } from './start-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'start-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sandbox = ['--unshare-pid', '--new-session', '--die-with-parent', '--info-fd', '3']
const seen = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']

/** Everything that names this text in its arguments. */
const left = (text: string): readonly string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })

// bwrap ends with its parent only from a certain moment of its start on.
test('a sandbox that is killed at any moment of its start leaves nothing running', async () => {
  const nap = `86403.${process.pid}`
  const begin = (mark: string) =>
    startCommand({
      prepared: {
        ...{ file: 'bwrap', args: [...sandbox, ...seen, '/bin/sh', '-c', `sleep ${nap}; true`], environment: {} },
        ...{ contained: true, infoPipe: 3 },
      },
      ...{ folder, mark, stdin: 'ignore', clock: createFakeClock(), onOutput: () => undefined },
      environment: { PATH: process.env.PATH ?? '', AGENT_COMMAND: mark },
    })
  for (let round = 0; round < 8; round++) {
    const started = Array.from({ length: 6 }, (_, at) => begin(`mark-${round}-${at}`))
    await pause(round * 4)
    for (const running of started) running.kill()
  }
  await expect.poll(() => left(nap)).toEqual([])
}, 60_000)
