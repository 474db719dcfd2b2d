import type { ToolManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'

const tool: ToolManifest = {
  ...{ name: 'roll', description: 'Rolls.', effect: 'read', replaySafe: true, parallel: true, guards: [], timeoutMs: 1_000 },
  parameters: { type: 'object', properties: { sides: { type: 'integer', default: 6 } }, additionalProperties: false },
}

test('arguments get their defaults, and no text at all is none', async () => {
  expect(await parseArguments(tool, '{"sides":4}')).toEqual({ ok: true, args: { sides: 4 } })
  for (const text of ['', ' \n', '{}']) expect(await parseArguments(tool, text)).toEqual({ ok: true, args: { sides: 6 } })
})

test('what does not fit is told with its place, and kept as it was sent', async () => {
  expect(await parseArguments(tool, '{"sides":"x"}')).toEqual({
    ...{ ok: false, args: { sides: 'x' }, problem: 'sides must be a number, not a string' },
  })
  expect(await parseArguments(tool, '7')).toEqual({ ok: false, args: 7, problem: 'must be an object, not a number' })
  expect(await parseArguments(tool, '{"sides"')).toMatchObject({
    ok: false,
    args: '{"sides"',
    problem: expect.stringContaining('not valid JSON'),
  })
})

test('of arguments that are nested without end only the beginning is kept', async () => {
  const { ok, args } = await parseArguments(tool, '['.repeat(100_000))
  expect([ok, args]).toEqual([false, '['.repeat(200)])
})
