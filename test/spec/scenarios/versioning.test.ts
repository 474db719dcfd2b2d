// @module-tag process
import { expect } from 'vitest'
import { openEnvironment } from '../../../host/src/config/environment/environment.ts'
import { variables } from '../../../host/src/config/environment/variables.ts'
import { runAgent } from '../../support/run-agent.ts'
import { openTestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

proves('version.config.environment', 'a variable that is entered under no version cannot be read', async () => {
  using home = openTestHome()
  const { value } = JSON.parse((await runAgent(home, ['config', 'get', '_config_version', '--json'])).out)
  for (const { name, since } of variables) {
    expect(Number.isInteger(since) && since > 0 && since <= value, `${name} since ${since}`).toBe(true)
  }
  const environment = openEnvironment({ AGENT_UNLISTED: 'x', AGENT_HOME: '/h' })
  expect(environment.get('AGENT_HOME')).toBe('/h')
  expect(() => environment.get('AGENT_UNLISTED')).toThrow('AGENT_UNLISTED')
})
