import { expect, test } from 'vitest'
import { findProvenance, findTrust } from './find-provenance.ts'

const npm = 'https://registry.npmjs.org/'
const github = { GITHUB_ACTIONS: 'true', ACTIONS_ID_TOKEN_REQUEST_URL: 'https://vouch.example.net' }
const file = { name: 'agent-plugin-dice', version: '1.0.0', scope: undefined, publishConfig: {}, obstacles: [] }
const scoped = { ...file, name: '@team/dice', scope: '@team' }

test.each([
  ['GitHub Actions', github],
  ['GitLab CI', { GITLAB_CI: 'true', SIGSTORE_ID_TOKEN: 'token-of-this-run' }],
])('a run of %s that may vouch for itself signs what it publishes, and needs no login', (name, environment) => {
  expect(findProvenance(file, npm, environment)).toEqual({ made: true, why: `signed by ${name}` })
  expect(findTrust(npm, environment)).toBe(name)
  expect(findProvenance({ ...scoped, publishConfig: { access: 'public' } }, npm, environment).made).toBe(true)
})

test.each([
  ['another registry', file, 'http://127.0.0.1:4873/', github, 'keeps none'],
  ['a person at a machine', file, npm, {}, 'made by a run of GitHub Actions or GitLab CI'],
  ['a run without the permission', file, npm, { GITHUB_ACTIONS: 'true' }, 'id-token: write'],
  ['a run without a token', file, npm, { GITLAB_CI: 'true' }, 'SIGSTORE_ID_TOKEN'],
  ['a scope that may be secret', scoped, npm, github, '"access": "public"'],
])('it is left out for %s, and the reason is said', (_name, about, registry, environment, why) => {
  expect(findProvenance(about, registry, environment)).toEqual({ made: false, why: expect.stringContaining(why) })
})
