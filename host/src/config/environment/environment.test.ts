import { expect, test } from 'vitest'
import { openEnvironment } from './environment.ts'
import { isSecretName } from './secret-names.ts'
import { variables } from './variables.ts'

test('the process beats the .env of the home, and empty counts as unset', () => {
  const environment = openEnvironment({ AGENT_HOME: '/one', AGENT_TUI: '' }, { AGENT_HOME: '/two', AGENT_TUI: '1' })
  expect(environment.get('AGENT_HOME')).toBe('/one')
  expect(environment.source('AGENT_HOME')).toBe('environment')
  expect(environment.get('AGENT_TUI')).toBe('1')
  expect(environment.source('AGENT_TUI')).toBe('env-file')
  expect(environment.get('AGENT_SAFE_MODE')).toBeUndefined()
})

test('reading a name that nobody listed throws; declaring it allows it', () => {
  const environment = openEnvironment({ SMS_SENDER: '+1', OPENAI_API_KEY: 'sk-123456', VLLM_BASE_URL: 'http://localhost' })
  expect(() => environment.get('SMS_SENDER')).toThrow('SMS_SENDER')
  expect(environment.has('SMS_SENDER')).toBe(true)
  environment.declare([{ name: 'SMS_SENDER', secret: false }])
  expect(environment.get('SMS_SENDER')).toBe('+1')
  expect(environment.get('OPENAI_API_KEY')).toBe('sk-123456')
  expect(environment.get('VLLM_BASE_URL')).toBe('http://localhost')
  expect(environment.get('IRC_ALLOWED_USERS')).toBeUndefined()
})

test('secrets are known by listing, by name and by use, the longest first; short words are not masked', () => {
  const environment = openEnvironment(
    { PATH: '/usr/bin', API_SERVER_KEY: 'abcdef', GITHUB_TOKEN: 'abcdefghij', SIGNAL_PIN: '123456', SOME_KEY: 'test' },
    { IRC_PASSWORD: 'hunter22' },
    [{ name: 'SIGNAL_PIN', secret: true }],
  )
  expect(environment.secrets()).toEqual(['abcdefghij', 'hunter22', 'abcdef', '123456'])
  environment.keepSecret('from-config')
  expect(environment.secrets()[0]).toBe('from-config')
})

test('programs of tools get the environment of the user without secrets, whatever name they hide under', () => {
  const environment = openEnvironment(
    { PATH: '/usr/bin', GIT_AUTHOR_NAME: 'Ada', GITHUB_TOKEN: 'abcdefghij', COPY: 'abcdefghij', HTTP_AUTHORIZATION: 'x', UNSET: undefined },
    { ONLY_IN_FILE: 'value' },
  )
  expect(environment.forChildren()).toEqual({ PATH: '/usr/bin', GIT_AUTHOR_NAME: 'Ada' })
})

test('the table has every name once, and what sounds secret is marked', () => {
  const names = variables.map((variable) => variable.name)
  expect(new Set(names).size).toBe(names.length)
  const notSecret = variables.filter((variable) => isSecretName(variable.name) && !variable.secret).map((variable) => variable.name)
  expect(notSecret).toEqual(['AGENT_DASHBOARD_BASIC_AUTH_USERNAME', 'AGENT_DASHBOARD_OAUTH_CLIENT_ID'])
})
