import { expect, test } from 'vitest'
import { isOwnDoor } from './own-doors.ts'

const debuggerPort = 9229

test.each(['127.0.0.1', '127.1.2.3', '0.0.0.0', '::', '::1', '::1%lo', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  '%s is this machine, where a debugger may listen',
  async (address) => {
    expect(await isOwnDoor(address, debuggerPort, undefined)).toBe(true)
  },
)

test.each(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', '1.127.0.1'])('%s is another one', async (address) => {
  expect(await isOwnDoor(address, debuggerPort, undefined)).toBe(false)
})
