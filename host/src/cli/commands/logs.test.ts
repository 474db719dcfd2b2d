import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from './logs.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'logs-'))
  mkdirSync(join(home, 'logs'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (words: string[], more: { signal?: AbortSignal; onLine?: (line: string) => void } = {}) =>
  runCommand(command, words, { environment: { AGENT_HOME: home }, ...more })
const line = (name: string, message: string): string => `${JSON.stringify({ level: 'info', time: 0, pid: 1, name, msg: message })}\n`

test('the last lines are shown readably, the agent’s unless another log is named', async () => {
  writeFileSync(join(home, 'logs', 'agent.log'), line('agent', 'one') + line('agent', 'two') + line('agent', 'three'))
  writeFileSync(join(home, 'logs', 'gateway.log'), line('gateway', 'ready'))
  expect((await run(['-n', '2'])).out).toMatch(/^\S+ \S+ info {2}agent: two\n\S+ \S+ info {2}agent: three\n$/)
  expect((await run(['gateway'])).out).toContain('gateway: ready')
  expect((await run(['agent', '-n', '1', '--json'])).out).toBe(line('agent', 'three'))
})

test('a log that nobody has written yet is said so, without failing', async () => {
  for (const name of ['errors', 'desktop', 'gui']) {
    const { code, out, note } = await run([name])
    expect([code, out]).toEqual([0, ''])
    expect(note).toContain(`There is nothing in ${join(home, 'logs', `${name}.log`)} yet`)
  }
})

test.each([
  [['gatway'], 'There is no log "gatway"; there are agent, errors, gateway, desktop, gui. Try: agent logs gateway'],
  [['__proto__'], 'There is no log "__proto__"'],
  [['agent', '-n', 'many'], '-n takes a whole number'],
])('a wrong call is a usage error: %j', async (words, sentence) => {
  const ran = await run(words)
  expect(ran.code).toBe(2)
  expect(ran.note).toContain(sentence)
})

test('following goes on with new lines until it is interrupted', async () => {
  const path = join(home, 'logs', 'agent.log')
  writeFileSync(path, line('agent', 'old'))
  const stop = new AbortController()
  const onLine = (text: string): void => {
    if (text.includes('old')) appendFileSync(path, line('agent', 'new'))
    else stop.abort()
  }
  const { code, out } = await run(['-f'], { signal: stop.signal, onLine })
  expect(code).toBe(0)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((text) => text.split(': ')[1]),
  ).toEqual(['old', 'new'])
})
