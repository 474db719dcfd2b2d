import { expect, test } from 'vitest'
import { readText } from './source-files.ts'

const agent = readText('host/src/agent/open-agent.ts')
const gateway = readText('host/src/gateway/gateway.ts')

function listParts(text: string): readonly string[] {
  return [...text.matchAll(/^\s+\.add\('([^']+)',/gm)].map(([, name = '']) => name)
}

/** The rows of the interface, what a door sees of the agent. */
function listRows(text: string): readonly string[] {
  const [, rows = ''] = /export interface OpenAgent \{\n([\s\S]*?)\n\}/.exec(text) ?? []
  return [...rows.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)].map(([, name = '']) => name)
}

test('a part of the agent is a line of its list and at most a row of what doors see', () => {
  const parts = listParts(agent)
  expect(parts.length).toBeGreaterThan(15)
  const places = [...parts, ...listRows(agent)]
  expect(parts.filter((name) => places.filter((each) => each === name).length > 2)).toEqual([])
  expect(new Set(parts).size).toBe(parts.length)
  // What is closed is a part: only the logs are there before the list.
  expect(agent.match(/\bledger\.add\(/g)).toHaveLength(1)
})

test('a part of the gateway is a line of its list', () => {
  const parts = listParts(gateway)
  expect(parts.length).toBeGreaterThan(10)
  expect(new Set(parts).size).toBe(parts.length)
  expect(gateway.match(/^import /gm)?.length).toBeLessThanOrEqual(22)
})
