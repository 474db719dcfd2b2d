import type { ToolSpec } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { describeTools, offerTools } from './offer-tools.ts'
import { hello } from './testing/turn-world.ts'

const spec = (name: string, description = '') => ({ name, description, parameters: { type: 'object' } })
const agent = [spec('read'), spec('write')]
const more: ReadonlySet<string> = new Set(['read', 'write', 'dig', 'open'])
const offer = (request: object, listed: readonly ToolSpec[] = agent) => offerTools(listed, { ...hello, ...request }, more)
const names = (offered: ReturnType<typeof offer>) => ({
  specs: offered.specs.map(({ name }) => name).join(),
  own: [...offered.own].join(),
  theirs: [...offered.theirs].join(),
  forced: offered.forced,
})

test('without tools of the caller the model is shown the tools of the agent, or none', () => {
  expect(names(offer({}))).toEqual({ specs: 'read,write', own: 'read,write', theirs: '', forced: false })
  expect(names(offer({ agentTools: false }))).toEqual({ specs: '', own: '', theirs: '', forced: false })
  // What is made of the list is kept for it.
  expect(offer({}).specs).toBe(agent)
})

test("a caller's tool takes the place of the agent's one with its name", () => {
  const clientTools = [spec('write', 'theirs'), spec('open')]
  const offered = offer({ clientTools })
  expect(names(offered)).toEqual({ specs: 'read,write,open', own: 'read', theirs: 'write,open', forced: false })
  expect(offered.specs[1]).toMatchObject({ description: 'theirs' })
})

test('a choice that forces a call leaves what may be called, and one that cannot be called is told with those that can', () => {
  const clientTools = [spec('open'), spec('close')]
  expect(names(offer({ clientTools, toolChoice: 'required' }))).toEqual({
    specs: 'open,close',
    own: '',
    theirs: 'open,close',
    forced: true,
  })
  expect(names(offer({ clientTools, toolChoice: { name: 'close' } }))).toEqual({ specs: 'close', own: '', theirs: 'close', forced: true })
  const refused = (request: object): unknown => {
    try {
      return offer(request)
    } catch (error) {
      return isAgentError(error) ? [error.code, error.params] : error
    }
  }
  expect(refused({ clientTools, toolChoice: { name: 'read' } })).toEqual(['TOOL_UNKNOWN', { tool: 'read', known: 'open, close' }])
  expect(refused({ toolChoice: 'required' })).toEqual(['TOOL_UNKNOWN', { tool: 'required', known: '(none)' }])
})

test('where tools of both sides are there, the model is told which ones run where', () => {
  const clientTools = [spec('open'), spec('close')]
  expect(describeTools(offer({ clientTools }), '/work')).toMatch(
    /run where it runs: open, close\..* run in \/work on the machine of the agent\.$/,
  )
  expect(describeTools(offer({ clientTools }), '/w\nx')).toContain('run in "/w\\nx" on')
  expect(describeTools(offer({ clientTools, agentTools: false }), '/work')).toBe('')
  expect(describeTools(offer({}), '/work')).toBe('')
})

test('what is found is reached through the pair alone, and not where the caller has one of its names', () => {
  const pair = [...agent, spec('tool_search'), spec('tool_call')]
  const reached = (request: object, listed: readonly ToolSpec[] = pair): string => [...offer(request, listed).reachable].join()
  expect(offer({}, pair).reachable).toBe(more)
  expect(reached({}, agent)).toBe('')
  expect(reached({ clientTools: [spec('open')] })).toBe('read,write,dig')
  expect(reached({ clientTools: [spec('open')], toolChoice: 'required' })).toBe('')
  expect(reached({ clientTools: [spec('tool_search')] })).toBe('')
  expect(names(offer({ clientTools: [spec('tool_search')] }, pair))).toMatchObject({ own: 'read,write', theirs: 'tool_search' })
})
