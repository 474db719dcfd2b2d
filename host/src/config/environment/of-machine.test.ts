import { expect, test } from 'vitest'
import { environmentOfMachine } from './of-machine.ts'

test('what belongs to the machine is kept, and nothing that is a setting, a key or of a person', () => {
  const machine = { PATH: '/bin', HOME: '/home/ann', LC_ALL: 'C', XDG_RUNTIME_DIR: '/run', AGENT_NATIVE_CACHE: '/n', AGENT_SAFE_MODE: '1' }
  const meant = {
    ...{ AGENT_HOME: '/a', API_SERVER_KEY: 'k', OPENAI_API_KEY: 'k', IRC_SERVER: 'irc', AGENT_INFERENCE_PROVIDER: 'offline' },
    ...{ HTTPS_PROXY: 'http://ann:word@proxy', NODE_OPTIONS: '--inspect', NOTE: 'mine', UNSET: undefined },
  }
  expect(environmentOfMachine({ ...machine, ...meant })).toEqual(machine)
})
