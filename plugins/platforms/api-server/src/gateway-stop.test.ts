// @module-tag process
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { missingProgram, needs } from '../../../../test/support/needs.ts'
import { startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

const bounded = { timeout: 15_000, interval: 50 }
const sleeping = (word: string): number =>
  spawnSync('pgrep', ['-fc', `^sleep ${word}`], { encoding: 'utf8' })
    .stdout.split('\n')
    .map(Number)[0] ?? 0

async function abortRun(sandbox: 'off' | 'required', word: string): Promise<void> {
  using home = openTestHome()
  home.write('config.yaml', `terminal: { sandbox: "${sandbox}" }\n`)
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 60_000 })
  try {
    const url = /listens at (\S+)/.exec(await gateway.heard(/listens at \S+\n/))?.[1]
    const leave = new AbortController()
    const content = `run (setsid sleep ${word} &); sleep ${word} & sleep ${word}`
    const asked = fetch(`${url}/v1/chat/completions`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, signal: leave.signal },
      body: JSON.stringify({ messages: [{ role: 'user', content }] }),
    })
    const left = expect(asked).rejects.toThrow('aborted')
    await expect.poll(() => sleeping(word), bounded).toBe(3)
    leave.abort()
    await left
    await expect.poll(() => sleeping(word), bounded).toBe(0)
    expect(gateway.child.exitCode).toBeNull()
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
}

describe('a client that goes away ends all that its command started', { timeout: 60_000 }, () => {
  test('without a sandbox', () => abortRun('off', `301.${process.pid}`))
  test('in one', needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')), () => abortRun('required', `302.${process.pid}`))
})
