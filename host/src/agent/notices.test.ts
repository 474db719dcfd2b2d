import type { Notice } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createNotices, type NoticesOptions } from './notices.ts'

const kinds = ['started', 'result', 'error'] as const

function open(options: Partial<NoticesOptions> = {}): {
  tell: (notice: Notice) => void
  heard: Notice[]
  problems: string[]
  leave: () => void
} {
  const heard: Notice[] = []
  const problems: string[] = []
  const write = (message: string): void => void problems.push(message)
  const log = { debug: write, info: write, warn: write, error: write }
  const notices = createNotices({ wanted: () => 'all', secrets: () => [], log, ...options })
  notices.onNotice(() => {
    throw new Error('broken')
  })
  return { tell: notices.tell, heard, problems, leave: notices.onNotice((notice) => heard.push(notice)) }
}

test.each([
  ['all', ['started', 'result', 'error']],
  ['result', ['result', 'error']],
  ['error', ['error']],
  ['off', []],
] as const)('%s tells %j', (wanted, told) => {
  const { tell, heard } = open({ wanted: () => wanted })
  for (const kind of kinds) tell({ session: 'ses_1', kind, text: 'x' })
  expect(heard.map(({ kind }) => kind)).toEqual(told)
})

test('secrets are masked before the text is cut, and its length is bounded', () => {
  const { tell, heard } = open({ secrets: () => ['hush-hush'] })
  tell({ session: 'ses_1', kind: 'result', text: `${'a'.repeat(1595)}hush-hush${'b'.repeat(100_000)}` })
  const text = heard[0]?.text ?? ''
  expect(text).not.toContain('hush')
  expect(text.length).toBeLessThan(4100)
  expect(text).toContain('characters left out')
})

test('a listener that throws keeps nobody else from hearing, and one that left hears nothing', () => {
  const { tell, heard, problems, leave } = open()
  tell({ session: 'ses_1', kind: 'result', text: 'one' })
  leave()
  tell({ session: 'ses_1', kind: 'result', text: 'two' })
  expect(heard.map(({ text }) => text)).toEqual(['one'])
  expect(problems).toHaveLength(2)
})
