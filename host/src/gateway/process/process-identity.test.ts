import { expect, test } from 'vitest'
import { identifyProcess, isAlive, type ProcessTable } from './process-identity.ts'

test('a process is alive by its number and its start', () => {
  const own = identifyProcess(process.pid)
  expect(own.started !== '').toBe(process.platform === 'linux')
  expect([
    isAlive(own),
    isAlive({ ...own, started: '' }),
    isAlive({ ...own, started: '1' }),
    isAlive({ pid: 2 ** 22 + 1, started: '' }),
  ]).toEqual([true, true, false, false])
})

const refused = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code })
}
/** Fields 3 to 22, after a name in which brackets stand. */
const statOf = (state: string, started: string): string => `7 (a) b) ${state} ${'0 '.repeat(18)}${started} 0`
const table = (more: Partial<ProcessTable>): ProcessTable => ({ signal: () => undefined, stat: () => statOf('S', '99'), ...more })

test('its start is read from behind its name, whatever that is', () => {
  expect(identifyProcess(7, table({}))).toEqual({ pid: 7, started: '99' })
  expect([isAlive({ pid: 7, started: '99' }, table({})), isAlive({ pid: 7, started: '98' }, table({}))]).toEqual([true, false])
})

test('one that has ended is not alive, and that of somebody else is', () => {
  expect(isAlive({ pid: 7, started: '' }, table({ stat: () => statOf('Z', '99') }))).toBe(false)
  expect(isAlive({ pid: 7, started: '99' }, table({ signal: refused('EPERM') }))).toBe(true)
  expect(isAlive({ pid: 7, started: '99' }, table({ signal: refused('ESRCH') }))).toBe(false)
})

test('where nothing is told of a process its number has to do', () => {
  for (const stat of [refused('ENOENT'), () => '7 (a)']) {
    expect(identifyProcess(7, table({ stat }))).toEqual({ pid: 7, started: '' })
    expect([isAlive({ pid: 7, started: '' }, table({ stat })), isAlive({ pid: 7, started: '99' }, table({ stat }))]).toEqual([true, false])
  }
})
