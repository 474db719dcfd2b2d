import { expect, test } from 'vitest'
import { formatLine } from './format-line.ts'

test('a message with line breaks stays one line', () => {
  const line = JSON.stringify({
    level: 'info',
    name: 'agent',
    msg: 'hello\r\n2026-01-01 error gateway: all is lost',
    fields: { text: 'a\nb' },
  })
  expect(formatLine(line).split('\n')).toHaveLength(1)
})
