import { expect, test } from 'vitest'
import { ruleOf, type ToolOf, toolNames } from './tool-name.ts'

const tool = (server: string, name: string, action = 'call'): ToolOf => ({
  server,
  known: { action, tool: name },
})

test('where two tools come to one name neither has it, in whatever order they are known, and also where one is called like a name made so', () => {
  const [one, two, other] = [tool('a_b', 'c'), tool('a', 'b_c'), tool('a', 'other')]
  const names = toolNames([one, two, other])
  expect(names).toEqual([expect.stringMatching(/^mcp_a_b_c_[0-9a-f]{8}$/), expect.stringMatching(/^mcp_a_b_c_[0-9a-f]{8}$/), 'mcp_a_other'])
  expect(toolNames([two, one])).toEqual([names[1], names[0]])
  expect(toolNames([one])).toEqual(['mcp_a_b_c'])
  const taker = tool('a', String(names[0]).slice('mcp_a_'.length))
  const all = toolNames([taker, one, two])
  expect([new Set(all).size, all[1]]).toEqual([3, names[0]])
  expect(new Set(toolNames([tool('a', 'list_resources'), tool('a', 'list_resources', 'list_resources')])).size).toBe(2)
})

test('a name has at most 64 letters, and long ones stay apart', () => {
  const names = toolNames([tool('a', 'x'.repeat(100)), tool('a', `${'x'.repeat(100)}y`)])
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(name).toMatch(/^mcp_a_x+_[0-9a-f]{8}$/)
  expect(names.map(({ length }) => length)).toEqual([64, 64])
})

test('a rule is about one tool of one server', () => {
  const tools = [
    tool('a_b', 'c'),
    tool('a', 'b_c'),
    tool('a', 'b.c'),
    tool('a', 'b c'),
    tool('a', 'b%0020c'),
    tool('a', 'b/c'),
    tool('a', 'c'),
  ]
  const more = [tool('a', 'c', 'get_prompt'), tool('a', '~c'), tool('a', 'x'.repeat(300)), tool('a', 'x'.repeat(301)), tool('a', '\ud800')]
  const rules = [...tools, ...more].map(ruleOf)
  expect(new Set(rules).size).toBe(rules.length)
  expect(rules[2]).toBe('a/b.c')
  for (const rule of rules) expect(rule).toMatch(/^[\w.%~/-]{1,200}$/)
})
