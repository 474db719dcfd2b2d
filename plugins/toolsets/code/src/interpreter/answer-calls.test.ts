import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { answerCalls } from './answer-calls.ts'

const tools = { call: async () => ({ ok: true, text: 'done' }) }

/** The pipe of a script that writes `lines` and reads what it is answered, or does not. */
function openLink(lines: readonly string[], reads: boolean) {
  const left = [...lines]
  const answers: string[] = []
  let longest = 0
  const link = new Duplex({
    read() {
      const line = left.shift()
      this.push(line === undefined ? null : `${line}\n`)
    },
    write(chunk, _encoding, done) {
      answers.push(String(chunk))
      longest = Math.max(longest, this.writableLength)
      if (reads) done()
    },
  })
  return { link, answers, left, longest: () => Math.max(longest, link.writableLength) }
}

test('a script that reads nothing is waited for, and its long names are not said again', async () => {
  const name = 'x'.repeat(1_000_000)
  const { link, left, longest } = openLink(
    Array.from({ length: 200 }, () => JSON.stringify({ tool: name, args: {} })),
    false,
  )
  answerCalls(link).begin({ tools, most: 1000 })
  await expect.poll(() => longest(), { timeout: 10_000, interval: 20 }).toBeGreaterThan(link.writableHighWaterMark - 1)
  const before = left.length
  await new Promise((resolve) => setImmediate(resolve))
  expect(left.length).toBe(before)
  expect(longest()).toBeLessThan(2 * link.writableHighWaterMark)
  link.destroy()
})

test('refused calls count too: a script that goes on with them loses its pipe', async () => {
  const { link, answers } = openLink(
    Array.from({ length: 100 }, () => JSON.stringify({ tool: 'clarify', args: {} })),
    true,
  )
  const calls = answerCalls(link).begin({ tools, most: 3 })
  await expect.poll(() => link.destroyed, { timeout: 10_000, interval: 20 }).toBe(true)
  expect(answers).toHaveLength(53)
  expect(calls.made()).toBe(0)
})
