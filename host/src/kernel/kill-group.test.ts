import { afterEach, expect, test, vi } from 'vitest'
import { killGroup } from './kill-group.ts'

afterEach(() => vi.restoreAllMocks())

/** The system's answer to a signal. */
function answer(code?: string) {
  return vi.spyOn(process, 'kill').mockImplementation(() => {
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    return true
  })
}

test('the whole group of a program is killed, and nobody where it never started', () => {
  const kill = answer()
  killGroup(undefined)
  expect(kill).not.toHaveBeenCalled()
  killGroup(4321)
  expect(kill.mock.calls).toEqual([[process.platform === 'win32' ? 4321 : -4321, 'SIGKILL']])
})

test('a program that is gone is no error; one that may not be killed is', () => {
  answer('ESRCH')
  expect(() => killGroup(4321)).not.toThrow()
  answer('EPERM')
  expect(() => killGroup(4321)).toThrow('EPERM')
})
