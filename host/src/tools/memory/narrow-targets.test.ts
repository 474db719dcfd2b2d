import type { ToolManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { narrowTargets } from './narrow-targets.ts'

const tool = (properties: object | undefined): ToolManifest =>
  ({ name: 'memory', parameters: { type: 'object', ...(properties && { properties }), required: ['target'] } }) as unknown as ToolManifest
const text = { type: 'string' }

test('a model is told only the targets that may be remembered, and all else of the tool', () => {
  const both = tool({ target: { type: 'string', enum: ['memory', 'user'] }, text })
  expect(narrowTargets(both, ['user', 'other'])).toEqual(tool({ target: { type: 'string', enum: ['user'] }, text }))
  expect(narrowTargets(both, ['user', 'memory'])).toBe(both)
})

test('a tool without a list of targets stays as it is', () => {
  for (const each of [tool(undefined), tool({ text }), tool({ target: text })]) expect(narrowTargets(each, ['user'])).toBe(each)
})
