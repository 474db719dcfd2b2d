import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { ExportLine, Session } from '../sessions.ts'
import { formatExport } from './format-export.ts'
import { readExport } from './read-export.ts'

const session: Session = {
  ...{ id: 'ses_a', key: null, source: 'cli', title: 'plan', titledBy: 'person', provider: 'p', model: 'm', system: 'You are…' },
  ...{ tools: '[]', parent: null, startedAt: 1, lastAt: 2, endedAt: null, endReason: null, messages: 3, calls: 1 },
  ...{ usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, workspace: '/work', context: null, owner: 'owner' },
}
const signed = { type: 'opaque', provider: 'p', data: { signature: new Uint8Array([1, 255]) } } as const
const lines: readonly ExportLine[] = [
  { type: 'session', session },
  { type: 'message', at: 1, message: { role: 'user', parts: [{ type: 'text', text: 'hello' }] } },
  { type: 'message', at: 2, message: { role: 'assistant', parts: [signed, { type: 'call', id: 'c', name: 'n', args: '{' }] } },
  { type: 'message', at: 2, message: { role: 'tool', results: [{ id: 'c', name: 'n', ok: true, text: 'done' }] } },
  { type: 'compression', at: 2, compression: { upTo: 1, messages: [], reason: 'asked', tokensBefore: 9, tokensAfter: 1 } },
]
const write = (all: readonly ExportLine[]): string => `${all.map(formatExport).join('\n')}\n`

test('what was written is read as it was, also with Windows line ends, and bytes of providers are bytes again', () => {
  const [first, ...rest] = lines
  const [compression] = rest.splice(3)
  expect(readExport('f', write(lines))).toEqual({
    session: first?.type === 'session' && first.session,
    messages: rest,
    compressions: [compression],
  })
  expect(readExport('f', write(lines).replaceAll('\n', '\r\n')).messages).toEqual(rest)
})

test('a file of before titles had a writer is read', () => {
  const { titledBy: _by, context: _context, owner: _owner, ...older } = session
  const text = `${JSON.stringify({ type: 'session', session: { ...older, messages: 0 } })}\n`
  expect(readExport('f', text).session).toMatchObject({ title: 'plan', titledBy: null, owner: null })
})

const changed = (at: number, text: string): string => write(lines).split('\n').with(at, text).join('\n')

test.each([
  ['', 'f:1: it is no session'],
  ['{"type":"message","at":1,"message":{"role":"tool","results":[]}}\n', 'f:1: it is no session'],
  [changed(1, '{"type":"mess'), 'f:2: it is no JSON'],
  [changed(1, ''), 'f:2: it is no JSON'],
  [changed(2, '{"type":"message","at":1,"message":{"role":"user","parts":[{"type":"text"}]}}'), 'f:3: message.parts.0.text: '],
  [changed(2, '{"type":"message","at":-1,"message":{"role":"tool","results":[]}}'), 'f:3: at: '],
  [changed(3, '{"type":"letter"}'), 'f:4: type: '],
  [changed(3, formatExport({ type: 'session', session })), 'f:4: a second session begins here'],
  [write(lines.slice(0, 3)), 'f:4: the file ends early: of 3 messages it has 2'],
  [write([{ type: 'session', session: { ...session, id: '../ses' } }]), 'f:1: session.id: '],
  [write([{ type: 'session', session: { ...session, id: '../ses_a' } }]), 'f:1: session.id: '],
  [write([{ type: 'session', session: { ...session, id: 'ses_a/..' } }]), 'f:1: session.id: '],
  [write([{ type: 'session', session: { ...session, tools: '{' } }]), 'f:1: session.tools: it holds no JSON'],
  [write([{ type: 'session', session: { ...session, tools: '{}' } }]), 'f:1: session.tools: it holds no list of tools'],
  [write(lines).replace('"upTo":1', '"upTo":4'), 'f:5: notes stand for more than the 3 messages'],
])('%# of the bad files is named by line and reason', (text, problem) => {
  const refused = (): unknown => {
    try {
      return readExport('f', text)
    } catch (error) {
      return error
    }
  }
  const error = refused()
  expect(isAgentError(error, 'SESSION_FILE_INVALID') && error.message).toContain(problem)
})
