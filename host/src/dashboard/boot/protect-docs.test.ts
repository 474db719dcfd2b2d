// @module-tag process
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, root } from '../../../../test/support/servers/open-test-dashboard.ts'

const text = readFileSync(join(root, 'host', 'docs', 'protect-the-dashboard.md'), 'utf8')

/** The commands and lines of a section, block by block. */
function blocksOf(section: string): readonly string[] {
  const [, body = ''] = new RegExp(`^## ${section}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(text) ?? []
  return [...body.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}

proves(
  ['auth.dashboard.basic.trusted', 'env.dashboard.basic-auth'],
  'the page that tells of the password says where it is enough, and what it shows lets in',
  async () => {
    expect(text.replace(/\s+/g, ' ')).toContain('This login is meant for trusted networks')
    const [lines = '', command = ''] = blocksOf('With a name and a password')
    const shown = parseEnv(lines)
    const { AGENT_DASHBOARD_BASIC_AUTH_USERNAME: username = '', AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: password = '' } = shown
    const hash = execFileSync('bash', ['-c', command], { input: `${password}\n`, encoding: 'utf8' }).trim()
    const hashed = { AGENT_DASHBOARD_BASIC_AUTH_USERNAME: username, AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH: `'${hash}'` }
    for (const variables of [shown, hashed]) {
      const env = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
      await using dashboard = await openTestDashboard({ host: '0.0.0.0', prepare: (home) => void home.write('.env', env.join('')) })
      const logIn = (given: string) => dashboard.askBare('POST', '/api/auth/login', { body: { username, password: given } })
      expect([(await logIn(`${password}x`)).status, (await logIn(password)).status]).toEqual([401, 200])
    }
  },
)
