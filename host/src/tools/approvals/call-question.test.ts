import type { ApprovalChoice, ToolManifest, Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { ApprovalMode, ApprovalRequest, ToolTurn } from '../tool-turn.ts'
import { createApprovals } from './approvals.ts'

const plain = { name: 'mcp_fix_send', guards: [], asks: 'it may do anything' } as unknown as ToolManifest

function open(answer: ApprovalChoice, tool = plain, mode: ApprovalMode = 'ask') {
  const asked: ApprovalRequest[] = []
  const approvals = createApprovals({
    ...{ mode, deny: [], allowlist: [], home: '/home/ann/.agent', userHome: '/home/ann', log: {} as never },
    ...{ secrets: () => ['s3cret'], judge: async () => 'allow', allowAlways: async () => undefined },
  })
  const check = async (args: Wire, turn: Partial<ToolTurn> = {}): Promise<string> => {
    const approve = async (wanted: ApprovalRequest) => {
      asked.push(wanted)
      return answer
    }
    const whole = { turn: 't', session: 's', workspace: '/work', canAnswer: true, approved: new Set(), approve, ...turn }
    return approvals.check(tool, args, whole as unknown as ToolTurn).then(
      () => 'runs',
      (error: Error) => error.message,
    )
  }
  return { asked, check }
}

test('a call that was refused is refused at once when it comes again in its turn, also from a child; another one says what was refused', async () => {
  const { asked, check } = open('deny')
  expect(await check({ to: 'ann', text: { a: 1, b: 2 } })).toContain('said no')
  const again = { text: { b: 2, a: 1 }, to: 'ann' }
  for (const turn of [{}, { turn: 'child', rootTurn: 't' }])
    expect(await check(again, turn)).toContain('it is what was refused in this turn: mcp_fix_send {"to":"ann"')
  expect(asked).toHaveLength(1)
  expect(await check({ to: 'bob' })).toContain('said no')
  expect(asked[1]?.reason).toBe('it may do anything; you refused in this turn: mcp_fix_send {"to":"ann","text":{"a":1,"b":2}}')
  expect(await check(again, { turn: 'next' })).toContain('said no')
  expect(asked).toHaveLength(3)
})

test('of a long call each argument is shown with its beginning and its end, without secrets, and what is left out is counted', async () => {
  const { asked, check } = open('once')
  await check({ note: `begins ${'x'.repeat(5000)} s3cret ends`, to: 'all@example.org', more: 'y'.repeat(1000) })
  const [{ subject = '' } = {}] = asked
  expect(subject).toMatch(
    /^mcp_fix_send \{"note":"begins x+ \[… 4,352 characters are left out …\] x+ \*\*\* ends","to":"all@example\.org","more":"y+ \[… /,
  )
  expect(subject.length).toBeLessThan(2100)
  await check('w'.repeat(3000))
  expect(asked.pop()?.subject).toMatch(/^mcp_fix_send "w+ \[… 1,002 characters are left out …\] w+"$/)
  await check({ to: 'ann' })
  expect(asked[1]?.subject).toBe('mcp_fix_send {"to":"ann"}')
  await check(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index === 499 ? 'the end' : 'z'.repeat(50)])))
  expect(asked[2]?.subject).toMatch(/ \[… [\d,]+ characters are left out …\] .*"key499":"the end"\}$/)
  expect(asked[2]?.subject.length).toBeLessThan(6100)
})

test('an answer for always is about one tool of one source, and not about the next that comes to its name', async () => {
  const approved = new Set<string>()
  const first = open('always', { ...plain, rule: 'fix/send' })
  await first.check({ to: 'ann' }, { approved })
  expect(await first.check({ to: 'bob' })).toBe('runs')
  expect(first.asked.map(({ rule }) => rule)).toEqual(['mcp_fix_send@fix/send'])
  const other = open('deny', { ...plain, rule: 'fix_send/send' })
  expect(await other.check({ to: 'ann' }, { approved: new Set(['mcp_fix_send@fix/send', 'mcp_fix_send']) })).toContain('said no')
})

test('what only people may allow is asked in every mode, and a no holds for the session', async () => {
  const forPeople = { ...plain, onlyPeople: true, rule: 'fix/send' }
  for (const mode of ['off', 'smart'] as const) {
    expect(await open('deny', plain, mode).check({})).toBe('runs')
    expect(await open('deny', forPeople, mode).check({})).toContain('said no')
    expect(await open('once', forPeople, mode).check({}, { canAnswer: false })).toContain('Nobody can answer here.')
  }
  const { asked, check } = open('deny', forPeople)
  expect(await check({})).toContain('said no')
  expect(await check({}, { turn: 'next' })).toContain('it is what was refused in this session')
  expect(asked).toHaveLength(1)
  expect(await check({}, { turn: 'other', session: 'other' })).toContain('said no')
  expect(asked).toHaveLength(2)
})
