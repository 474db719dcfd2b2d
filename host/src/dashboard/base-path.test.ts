// @module-tag process
import { expect, test } from 'vitest'
import { openTestDashboard } from '../../../test/support/servers/open-test-dashboard.ts'
import { withoutBase } from './base-path.ts'

test.each([
  ['/x', '/x', '/'],
  ['/x?a=1', '/x', '/?a=1'],
  ['/x/api/status', '/x', '/api/status'],
  ['/api/status', '/x', '/api/status'],
  ['/xy/api', '/x', '/xy/api'],
  ['/x/y/z', '/x/y', '/z'],
  ['/x/', '', '/x/'],
])('%s below %s is %s', (url, base, path) => {
  expect(withoutBase(url, base)).toBe(path)
})

const environment = {
  AGENT_DASHBOARD_BASIC_AUTH_USERNAME: 'ann',
  AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: 'right',
  AGENT_DASHBOARD_SESSION_TOKEN: undefined,
}

test('below a path the page, the doors and the cookies are at home, whether the path comes or not', async () => {
  const prepare = (home: { write(path: string, text: string): unknown }) =>
    void home.write('config.yaml', 'dashboard: { base_path: /x/y }\n')
  await using dashboard = await openTestDashboard({ prepare, host: '0.0.0.0', environment, page: '<p>the page' })
  expect(new URL(dashboard.url).pathname).toBe('/x/y')
  const moved = await dashboard.askBare('GET', '/x/y?profile=default')
  expect([moved.status, moved.headers.location]).toEqual([308, '/x/y/?profile=default'])
  for (const base of ['/x/y', '']) {
    expect((await dashboard.askBare('GET', `${base}/`)).text).toContain('the page')
    expect((await dashboard.askBare('GET', `${base}/api/status`)).status).toBe(200)
    expect((await dashboard.askBare('GET', `${base}/api/config`)).status, 'the login holds there too').toBe(401)
  }
  const { headers } = await dashboard.askBare('POST', '/x/y/api/auth/login', { body: { username: 'ann', password: 'right' } })
  expect(headers['set-cookie']).toEqual([expect.stringMatching(/^agent_session=[^;]+; Path=\/x\/y\/; HttpOnly/)])
})

test.each(['agent', '/agent/', '/a//b', '/..', '/a/../b', '/a b', '/a?b'])(
  '%s is no path to be below, and the settings say so',
  async (path) => {
    const prepare = (home: { write(path: string, text: string): unknown }) =>
      void home.write('config.yaml', `dashboard: { base_path: ${JSON.stringify(path)} }\n`)
    await using dashboard = await openTestDashboard({ prepare })
    expect(new URL(dashboard.url).pathname).toBe('/')
    const { body } = await dashboard.ask('GET', '/api/config/raw')
    expect(body.marks).toEqual([expect.objectContaining({ key: 'dashboard.base_path', level: 'error' })])
  },
)
